#include "net/http/client/http_request_text.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <limits>

#include "base/http_token.hpp"
#include "base/letter_case.hpp"

namespace holdfast::net {
namespace {

using std::string_view_literals::operator""sv;

constexpr std::array<std::string_view, 4> kOwnHeaders{"host", "content-length", "transfer-encoding",
                                                      "connection"};

NetError wrong(std::string message) {
    return {.code = NetErrc::invalid_request, .message = std::move(message)};
}

bool is_own_header(std::string_view name) {
    return std::ranges::any_of(kOwnHeaders, [name](std::string_view own) {
        return base::equals_ignoring_case(own, name);
    });
}

}  // namespace

std::optional<NetError> fault_in_header_lines(std::string_view lines) {
    while (!lines.empty()) {
        const std::size_t end = lines.find("\r\n");
        if (end == std::string_view::npos) {
            return wrong("the last header line has no end");
        }
        const std::string_view line = lines.substr(0, end);
        const std::size_t colon = line.find(':');
        if (colon == std::string_view::npos || !base::is_token(line.substr(0, colon))) {
            return wrong("a header line has no proper name");
        }
        const std::string_view name = line.substr(0, colon);
        if (is_own_header(name)) {
            return wrong("the header " + std::string{name} + " is written by the client itself");
        }
        if (!base::is_header_value(line.substr(colon + 1))) {
            return wrong("the header " + std::string{name} + " has a control character");
        }
        lines.remove_prefix(end + 2);
    }
    return std::nullopt;
}

std::optional<NetError> fault_in_request_line(const HttpClientRequest& request) {
    if (!base::is_token(request.method) || request.method == "HEAD" ||
        request.method == "CONNECT") {
        return wrong("the method cannot be used");
    }
    if (!base::is_visible(request.target) ||
        !(request.target.empty() || request.target.starts_with('/'))) {
        return wrong("the target is not a path, or has a character that must be percent-encoded");
    }
    return std::nullopt;
}

void write_request_head(std::string& out, const HttpClientRequest& request,
                        std::string_view authority) {
    out.clear();
    out.append(request.method).push_back(' ');
    out.append(request.target).append(" HTTP/1.1\r\nHost: "sv);
    out.append(authority).append("\r\n"sv).append(request.headers);
    if (!request.body.empty() || request.method != "GET") {
        std::array<char, std::numeric_limits<std::size_t>::digits10 + 1> digits{};
        const auto written =
            std::to_chars(digits.data(), digits.data() + digits.size(), request.body.size());
        out.append("Content-Length: "sv).append(digits.data(), written.ptr).append("\r\n"sv);
    }
    out.append("\r\n"sv);
}

}  // namespace holdfast::net
