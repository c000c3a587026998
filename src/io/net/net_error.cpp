#include "net/net_error.hpp"

#include <system_error>

namespace holdfast::net {

bool is_retryable(NetErrc code) noexcept {
    switch (code) {
        case NetErrc::overloaded:
        case NetErrc::closed:
        case NetErrc::timed_out:
            return true;
        case NetErrc::invalid_request:
        case NetErrc::too_large:
        case NetErrc::not_found:
        case NetErrc::not_permitted:
        case NetErrc::start_failed:
        case NetErrc::cancelled:
        case NetErrc::message_too_long:
        case NetErrc::bad_answer:
        case NetErrc::system_failure:
            return false;
    }
    return false;
}

NetError system_error(NetErrc code, std::string_view what, int system_code) {
    std::string message{what};
    message += ": ";
    message += std::generic_category().message(system_code);
    return {.code = code, .message = std::move(message), .system_code = system_code};
}

}  // namespace holdfast::net
