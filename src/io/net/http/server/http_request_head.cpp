#include "net/http/server/http_request_head.hpp"

#include <charconv>

#include "base/http_token.hpp"
#include "base/letter_case.hpp"
#include "net/http/wire/header_line.hpp"

namespace holdfast::net {
namespace {

constexpr std::size_t kMaxHeaderLines = 128;

using Checked = std::optional<HttpFault>;  // nothing = valid

constexpr HttpFault kBadRequestLine{
    400, "the request line is not of the form METHOD SP target SP HTTP/1.1"};
constexpr HttpFault kBadLineEnd{400, "every line of the head must end in CR LF"};
constexpr HttpFault kBadHeaderLine{
    400, "a header line is not of the form name: value; no blank may stand before the colon"};
constexpr HttpFault kBadHeaderValue{400, "a header value holds a control character"};
constexpr HttpFault kFoldedHeader{400, "a header line begins with a blank; send it as one line"};
constexpr HttpFault kBadLength{400, "Content-Length must be given once, as digits"};
constexpr HttpFault kLengthAndEncoding{
    400, "Content-Length and Transfer-Encoding exclude each other; send one of them"};
constexpr HttpFault kBadEncoding{501, "the only Transfer-Encoding accepted is chunked"};
constexpr HttpFault kEncodingInHttp10{400, "Transfer-Encoding needs HTTP/1.1"};
constexpr HttpFault kBadHost{400, "a request needs exactly one Host header"};

// The headers that determine the framing.
struct Seen {
    bool has_length = false;
    bool has_encoding = false;
    bool has_close = false;
    bool has_keep_alive = false;
    bool has_upgrade = false;
    bool has_websocket = false;
    std::size_t host_count = 0;
};

// Removes the next line from `rest`, without its line end.
std::optional<std::string_view> take_line(std::string_view& rest) {
    const std::size_t end = rest.find('\n');
    if (end == std::string_view::npos || end == 0 || rest[end - 1] != '\r') {
        return std::nullopt;
    }
    const std::string_view line = rest.substr(0, end - 1);
    rest.remove_prefix(end + 1);
    return line;
}

// Returns the path of `/path?query`, of `http://host/path?query`, and of `*`.
std::string_view path_of(std::string_view target) {
    std::string_view path = target.substr(0, target.find('?'));
    if (path.starts_with('/') || path == "*") {
        return path;
    }
    const std::size_t scheme_end = path.find("://");
    if (scheme_end == std::string_view::npos) {
        return {};
    }
    path.remove_prefix(scheme_end + 3);
    const std::size_t slash = path.find('/');
    return slash == std::string_view::npos ? std::string_view{"/"} : path.substr(slash);
}

Checked parse_request_line(std::string_view line, HttpRequest& request, HttpFraming& framing) {
    const std::size_t method_end = line.find(' ');
    const std::size_t target_end = line.rfind(' ');
    if (method_end == std::string_view::npos || method_end == target_end) {
        return kBadRequestLine;
    }
    request.method = line.substr(0, method_end);
    request.target = line.substr(method_end + 1, target_end - method_end - 1);
    request.path = path_of(request.target);
    const std::string_view version = line.substr(target_end + 1);
    if (!base::is_token(request.method) || request.path.empty() ||
        !base::is_visible(request.target)) {
        return kBadRequestLine;
    }
    if (version == "HTTP/1.1") {
        return std::nullopt;
    }
    if (version == "HTTP/1.0") {
        framing.is_version_1_0 = true;
        return std::nullopt;
    }
    return version.starts_with("HTTP/") ? HttpFault{505, "use HTTP/1.1"} : kBadRequestLine;
}

Checked note_length(std::string_view value, Seen& seen, HttpFraming& framing) {
    const char* begin = value.data();
    const char* end = begin + value.size();
    const auto [parsed_end, error] = std::from_chars(begin, end, framing.content_length);
    if (seen.has_length || value.empty() || error != std::errc{} || parsed_end != end) {
        return kBadLength;
    }
    seen.has_length = true;
    return std::nullopt;
}

Checked note_encoding(std::string_view value, Seen& seen, HttpFraming& framing) {
    if (seen.has_encoding || !base::equals_ignoring_case(value, "chunked")) {
        return kBadEncoding;
    }
    seen.has_encoding = true;
    framing.is_chunked = true;
    return std::nullopt;
}

void note_connection(std::string_view options, Seen& seen) {
    while (!options.empty()) {
        const std::string_view option = base::take_list_part(options);
        seen.has_close |= base::equals_ignoring_case(option, "close");
        seen.has_keep_alive |= base::equals_ignoring_case(option, "keep-alive");
        seen.has_upgrade |= base::equals_ignoring_case(option, "upgrade");
    }
}

Checked note_header(KnownHeader known, std::string_view value, Seen& seen, HttpFraming& framing) {
    switch (known) {
        case KnownHeader::host:
            ++seen.host_count;
            break;
        case KnownHeader::expect:
            framing.expects_continue = base::equals_ignoring_case(value, "100-continue");
            return framing.expects_continue
                       ? Checked{}
                       : HttpFault{417, "the only Expect accepted is 100-continue"};
        case KnownHeader::upgrade:
            seen.has_websocket |= base::has_list_part(value, "websocket");
            break;
        case KnownHeader::connection:
            note_connection(value, seen);
            break;
        case KnownHeader::content_length:
            return note_length(value, seen, framing);
        case KnownHeader::transfer_encoding:
            return note_encoding(value, seen, framing);
        default:
            break;
    }
    return std::nullopt;
}

// A line that does not end in CR LF is refused for that, whatever else is wrong with it.
HttpFault fault_in_line(std::string_view rest, const HttpFault& otherwise) {
    return take_line(rest) ? otherwise : kBadLineEnd;
}

HttpFault fault_of(const HeaderLine& line, std::string_view rest) {
    if (rest.front() == ' ' || rest.front() == '\t') {
        return fault_in_line(rest, kFoldedHeader);
    }
    return fault_in_line(rest,
                         line.fault == HeaderLineFault::name ? kBadHeaderLine : kBadHeaderValue);
}

// Reads the lines up to the empty one, which must be all that is left then.
Checked parse_header_lines(std::string_view rest, HttpRequest& request, Seen& seen,
                           HttpFraming& framing) {
    request.headers.clear();
    while (!rest.empty() && !rest.starts_with("\r\n")) {
        const HeaderLine line = take_header_line(rest);
        if (line.fault != HeaderLineFault::none) {
            return fault_of(line, rest);
        }
        if (request.headers.lines().size() == kMaxHeaderLines) {
            return HttpFault{431, "the head has too many lines; send at most 128"};
        }
        request.headers.add(line.header, line.known);
        if (const Checked fault = note_header(line.known, line.header.value, seen, framing)) {
            return fault;
        }
    }
    return rest == "\r\n" ? Checked{} : kBadLineEnd;
}

Checked check_framing(const Seen& seen, const HttpRequest& request, HttpFraming& framing) {
    if (seen.has_length && seen.has_encoding) {
        return kLengthAndEncoding;
    }
    if (seen.has_encoding && framing.is_version_1_0) {
        return kEncodingInHttp10;
    }
    if (seen.host_count > 1 || (seen.host_count == 0 && !framing.is_version_1_0)) {
        return kBadHost;
    }
    framing.keeps_alive = !seen.has_close && (!framing.is_version_1_0 || seen.has_keep_alive);
    framing.wants_websocket = seen.has_upgrade && seen.has_websocket && !framing.is_version_1_0 &&
                              !framing.is_chunked && framing.content_length == 0 &&
                              request.method == "GET" &&
                              request.headers.find("sec-websocket-version") == "13" &&
                              request.headers.count("sec-websocket-key") == 1;
    return std::nullopt;
}

}  // namespace

std::optional<std::size_t> HttpHeadEnd::find(std::string_view bytes) noexcept {
    while (scanned_ < bytes.size()) {
        const std::size_t end = bytes.find('\n', scanned_);
        if (end == std::string_view::npos) {
            scanned_ = bytes.size();
            break;
        }
        const std::string_view line = bytes.substr(line_start_, end - line_start_);
        scanned_ = line_start_ = end + 1;
        // A bare LF ends the head here and is rejected by the parser, so the client does not wait.
        if (line.empty() || line == "\r") {
            return scanned_;
        }
    }
    return std::nullopt;
}

resilience::Result<HttpFraming, HttpFault> parse_request_head(std::string_view head,
                                                              HttpRequest& request) {
    HttpFraming framing;
    Seen seen;
    std::string_view rest = head;
    const auto line = take_line(rest);
    if (!line) {
        return kBadLineEnd;
    }
    if (const Checked fault = parse_request_line(*line, request, framing)) {
        return *fault;
    }
    if (const Checked fault = parse_header_lines(rest, request, seen, framing)) {
        return *fault;
    }
    if (const Checked fault = check_framing(seen, request, framing)) {
        return *fault;
    }
    return framing;
}

}  // namespace holdfast::net
