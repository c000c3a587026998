#include "guard/attempt_look.hpp"

#include <algorithm>
#include <string_view>

#include "jsonrpc/thread_reader.hpp"

namespace holdfast::guard {
namespace {

using downstream::Answer;
using downstream::CallFault;
using policy::Ending;
using policy::EndingKind;

/// Words that classify an error stand at its beginning.
constexpr std::size_t kLookedAtBytes = 65'536;

EndingKind kind_of(const CallFault& fault) {
    switch (fault.kind) {
        case CallFault::Kind::not_connected:
            return EndingKind::not_connected;
        case CallFault::Kind::unreachable:
            return EndingKind::connection_refused;
        case CallFault::Kind::connection_lost:
            return EndingKind::connection_lost;
        case CallFault::Kind::timed_out:
            return EndingKind::timed_out;
        case CallFault::Kind::cancelled:
            return EndingKind::cancelled;
        case CallFault::Kind::malformed:
            return EndingKind::malformed;
        case CallFault::Kind::http_status:
        case CallFault::Kind::unauthorized:
        case CallFault::Kind::rate_limited:
            return EndingKind::http_error;
        case CallFault::Kind::overloaded:
            return EndingKind::overloaded;
        case CallFault::Kind::too_large:
            return EndingKind::too_large;
        case CallFault::Kind::stopping:
            return EndingKind::stopping;
    }
    return EndingKind::connection_lost;
}

// A credential that was not sent because there is none is as good as one that was refused.
int status_of(const CallFault& fault) {
    constexpr int kUnauthorized = 401;
    const bool is_our_refusal =
        fault.kind == CallFault::Kind::unauthorized && fault.http_status == 0;
    return is_our_refusal ? kUnauthorized : fault.http_status;
}

Ending ending_of_answer(const Answer& answer, const policy::Policy& policy) {
    Ending ending{.http_status = answer.http_status, .delivery = answer.delivery};
    if (answer.is_error()) {
        ending.kind = EndingKind::rpc_error;
        ending.rpc_code = answer.error_code;
        ending.text = answer.body().substr(0, kLookedAtBytes);
        return ending;
    }
    // What an error says is looked for only where somebody wants to know: it may be large.
    if (policy.classifies_results && answer.says_error) {
        ending.kind = EndingKind::error_result;
        const auto body = jsonrpc::part_reader().read_object(answer.text(), answer.body());
        ending.text = body.find("content").value_or("").substr(0, kLookedAtBytes);
    }
    return ending;
}

}  // namespace

Ending ending_of(const downstream::CallResult& result, const policy::Policy& policy) {
    if (result) {
        return ending_of_answer(*result, policy);
    }
    const CallFault& fault = result.error();
    return {.kind = kind_of(fault),
            .http_status = status_of(fault),
            .text = fault.message,
            .delivery = fault.delivery,
            .retry_after = fault.retry_after};
}

}  // namespace holdfast::guard
