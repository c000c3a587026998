#include "downstream/http_fault.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <utility>

#include "base/utf8.hpp"

namespace holdfast::downstream {
namespace {

using Kind = CallFault::Kind;
using resilience::Delivery;

// A longer delay is of no use to an agent.
constexpr std::chrono::seconds kMaxRetryAfter = std::chrono::hours{24};

Kind kind_of(net::NetErrc code, bool may_have_arrived) {
    switch (code) {
        case net::NetErrc::timed_out:
            return Kind::timed_out;
        case net::NetErrc::cancelled:
            return Kind::cancelled;
        case net::NetErrc::overloaded:
            return Kind::overloaded;
        case net::NetErrc::too_large:
        case net::NetErrc::message_too_long:
            return Kind::too_large;
        default:
            return may_have_arrived ? Kind::connection_lost : Kind::not_connected;
    }
}

Kind kind_of_status(int status) {
    if (status == 401 || status == 403) {
        return Kind::unauthorized;
    }
    return status == 429 ? Kind::rate_limited : Kind::http_status;
}

std::optional<int> number_in(std::string_view text) {
    int number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    const bool is_number = error == std::errc{} && end == text.data() + text.size() && number >= 0;
    return is_number ? std::optional{number} : std::nullopt;
}

// `Sun, 06 Nov 1994 08:49:37 GMT`, the form that all servers must send.
std::optional<std::chrono::sys_seconds> date_in(std::string_view text) {
    constexpr std::size_t kLength = 29;
    constexpr std::array<std::string_view, 12> kMonths{"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                                       "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
    if (text.size() != kLength || !text.ends_with(" GMT")) {
        return std::nullopt;
    }
    const auto* month = std::ranges::find(kMonths, text.substr(8, 3));
    const auto day = number_in(text.substr(5, 2));
    const auto year = number_in(text.substr(12, 4));
    const auto hour = number_in(text.substr(17, 2));
    const auto minute = number_in(text.substr(20, 2));
    const auto second = number_in(text.substr(23, 2));
    if (month == kMonths.end() || !day || !year || !hour || !minute || !second) {
        return std::nullopt;
    }
    const std::chrono::year_month_day date{
        std::chrono::year{*year},
        std::chrono::month{static_cast<unsigned>(month - kMonths.begin()) + 1},
        std::chrono::day{static_cast<unsigned>(*day)}};
    if (!date.ok()) {
        return std::nullopt;
    }
    return std::chrono::sys_days{date} + std::chrono::hours{*hour} + std::chrono::minutes{*minute} +
           std::chrono::seconds{*second};
}

// Returns only the host, because the rest of a redirect address may contain secrets.
std::string host_of(std::string_view location) {
    const std::size_t scheme_end = location.find("://");
    if (scheme_end == std::string_view::npos) {
        return {};
    }
    std::string_view host = location.substr(scheme_end + 3);
    host = host.substr(0, host.find_first_of("/?#"));
    host = host.substr(host.rfind('@') + 1);
    return cleaned_excerpt(host);
}

bool is_text(const net::HttpHeaders& headers) {
    const std::string_view type = headers.find("Content-Type").value_or("");
    return type.empty() || type.starts_with("text/") || type.find("json") != std::string_view::npos;
}

std::string words_of(int status, const net::HttpHeaders& headers, std::string_view body) {
    if (status >= 300 && status < 400) {
        const std::string host = host_of(headers.find("Location").value_or(""));
        return "The server redirects (HTTP status " + std::to_string(status) + ") to " +
               (host.empty() ? std::string{"another address"} : "the host " + host) +
               ", and redirects are not followed.";
    }
    std::string text = "The server answered with HTTP status " + std::to_string(status);
    if (status == 401 || status == 403) {
        text += status == 401 ? ": it wants credentials that it was not given"
                              : ": the credentials do not allow this";
    }
    const std::string excerpt = is_text(headers) ? cleaned_excerpt(body) : std::string{};
    return text + (excerpt.empty() ? "." : ": " + excerpt);
}

std::string words_of(Kind kind, const std::string& reason) {
    switch (kind) {
        case Kind::timed_out:
            return "The server did not answer in time.";
        case Kind::cancelled:
            return "The call was cancelled.";
        case Kind::overloaded:
            return "Too many requests to this server are in flight: " + reason + ".";
        case Kind::too_large:
            return "A message is over the limit: " + reason + ".";
        case Kind::not_connected:
            return "The server cannot be reached: " + reason + ".";
        default:
            return "The connection was lost before the server answered: " + reason + ".";
    }
}

}  // namespace

CallFault fault_of(const net::HttpClientError& error) {
    const Kind kind = kind_of(error.error.code, error.may_have_arrived);
    return {.kind = kind,
            .message = words_of(kind, error.error.message),
            .delivery = error.may_have_arrived ? Delivery::sent : Delivery::not_sent};
}

CallFault fault_of_body(const net::NetError& error) {
    return fault_of(net::HttpClientError{.error = error, .may_have_arrived = true});
}

CallFault fault_of_status(int status, const net::HttpHeaders& headers, std::string_view body) {
    return {.kind = kind_of_status(status),
            .message = words_of(status, headers, body),
            .delivery = Delivery::answered,
            .http_status = status,
            .retry_after = retry_after_of(headers)};
}

CallFault broken_off_fault() {
    return {.kind = Kind::connection_lost,
            .message = "The connection was lost before the server answered.",
            .delivery = Delivery::sent};
}

CallFault malformed_fault(std::string message) {
    return {.kind = Kind::malformed, .message = std::move(message), .delivery = Delivery::sent};
}

std::optional<resilience::Duration> retry_after_of(const net::HttpHeaders& headers) {
    const auto value = headers.find("Retry-After");
    if (!value) {
        return std::nullopt;
    }
    if (const auto seconds = number_in(*value)) {
        return std::min(std::chrono::seconds{*seconds}, kMaxRetryAfter);
    }
    const auto until = date_in(*value);
    const auto sent_at = date_in(headers.find("Date").value_or(""));
    if (!until || !sent_at) {
        return std::nullopt;
    }
    return std::clamp<std::chrono::seconds>(*until - *sent_at, std::chrono::seconds::zero(),
                                            kMaxRetryAfter);
}

std::string cleaned_excerpt(std::string_view text, std::size_t max_bytes) {
    std::string cleaned;
    while (!text.empty() && cleaned.size() < max_bytes) {
        const std::size_t bytes = base::utf8_character_bytes(text);
        if (cleaned.size() + bytes > max_bytes) {
            break;
        }
        const bool is_blank = bytes == 1 && (text[0] <= ' ' || text[0] == '\x7F');
        if (is_blank && !cleaned.empty() && cleaned.back() != ' ') {
            cleaned.push_back(' ');
        } else if (bytes == 0) {
            cleaned.push_back('?');
        } else if (!is_blank) {
            cleaned.append(text.substr(0, bytes));
        }
        text.remove_prefix(std::max<std::size_t>(bytes, 1));
    }
    cleaned.erase(cleaned.find_last_not_of(' ') + 1);
    return cleaned;
}

}  // namespace holdfast::downstream
