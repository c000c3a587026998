#include "net/http/client/http_response_head.hpp"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <string>
#include <utility>

#include "base/http_token.hpp"
#include "base/letter_case.hpp"
#include "net/http/wire/header_line.hpp"

namespace holdfast::net {
namespace {

constexpr std::string_view kHeadEnd = "\r\n\r\n";
constexpr std::string_view kProtocol = "HTTP/1.";
constexpr std::size_t kStatusLineBytes = sizeof("HTTP/1.1 200") - 1;

NetError broken(std::string_view what) {
    return {.code = NetErrc::bad_answer, .message = "not an HTTP answer: " + std::string{what}};
}

// What the headers say about the body and the connection, before conflicts are resolved.
struct Framing {
    std::optional<std::uint64_t> length_bytes = {};
    bool is_chunked = false;
    bool says_close = false;
    bool says_keep_alive = false;
};

std::optional<std::uint64_t> length_of(std::string_view digits) {
    std::uint64_t length = 0;
    const char* const begin = digits.data();
    const char* const end = begin + digits.size();
    const auto [stop, error] = std::from_chars(begin, end, length);
    if (digits.empty() || error != std::errc{} || stop != end) {
        return std::nullopt;
    }
    return length;
}

void note_connection_options(Framing& framing, std::string_view list) {
    while (!list.empty()) {
        const std::string_view option = base::take_list_part(list);
        framing.says_close |= base::equals_ignoring_case(option, "close");
        framing.says_keep_alive |= base::equals_ignoring_case(option, "keep-alive");
    }
}

// Returns what is wrong; empty if nothing is.
std::string_view fault_in_noted(Framing& framing, KnownHeader known, std::string_view value) {
    if (known == KnownHeader::content_length) {
        const auto length = length_of(value);
        if (!length) {
            return "its length is not a number";
        }
        if (framing.length_bytes && framing.length_bytes != length) {
            return "it has two lengths";
        }
        framing.length_bytes = length;
    } else if (known == KnownHeader::transfer_encoding) {
        if (framing.is_chunked || !base::equals_ignoring_case(value, "chunked")) {
            return "its transfer encoding is not \"chunked\"";
        }
        framing.is_chunked = true;
    } else if (known == KnownHeader::connection) {
        note_connection_options(framing, value);
    }
    return {};
}

// Removes a line from `rest` and adds it. Returns what is wrong with it; empty if nothing is.
std::string_view fault_in_added(HttpHeaders& headers, Framing& framing, std::string_view& rest) {
    const HeaderLine line = take_header_line(rest);
    switch (line.fault) {
        case HeaderLineFault::none:
            break;
        case HeaderLineFault::name:
            return "a header line has no proper name";
        case HeaderLineFault::value:
            return "a header has a control character";
    }
    headers.add(line.header, line.known);
    return fault_in_noted(framing, line.known, line.header.value);
}

bool has_no_body(int status) {
    return status < 200 || status == 204 || status == 304;
}

BodyFraming body_framing(const Framing& framing, int status) {
    if (has_no_body(status)) {
        return {};
    }
    if (framing.is_chunked) {
        return {.kind = BodyFraming::Kind::chunked};
    }
    if (framing.length_bytes) {
        return {.kind = BodyFraming::Kind::length, .length_bytes = *framing.length_bytes};
    }
    return {.kind = BodyFraming::Kind::until_close};
}

// Returns the status, or 0 if the line is not a status line.
int status_of(std::string_view line) {
    if (line.size() < kStatusLineBytes || !line.starts_with(kProtocol) ||
        (line[7] != '0' && line[7] != '1') || line[8] != ' ') {
        return 0;
    }
    int status = 0;
    const char* const digits = line.data() + 9;
    const auto [stop, error] = std::from_chars(digits, digits + 3, status);
    const bool has_three_digits = error == std::errc{} && stop == digits + 3;
    const std::string_view reason = line.substr(kStatusLineBytes);
    if (!has_three_digits || status < 100 || status > 599 || !base::is_header_value(reason) ||
        !(reason.empty() || reason.starts_with(' '))) {
        return 0;
    }
    return status;
}

}  // namespace

NetResult<std::optional<std::size_t>> HeadFinder::find(std::string_view bytes) {
    if (bytes.substr(0, kProtocol.size()) != kProtocol.substr(0, bytes.size())) {
        return broken("it does not begin with HTTP/1");
    }
    // The end may be split between two pieces.
    const std::size_t from = seen_bytes_ - std::min(seen_bytes_, kHeadEnd.size() - 1);
    const std::size_t place = bytes.find(kHeadEnd, from);
    seen_bytes_ = bytes.size();
    const std::size_t size_bytes =
        place == std::string_view::npos ? bytes.size() : place + kHeadEnd.size();
    if (size_bytes > max_bytes_) {
        return broken("its head is longer than " + std::to_string(max_bytes_) + " bytes");
    }
    if (place == std::string_view::npos) {
        return std::optional<std::size_t>{};
    }
    return std::optional{size_bytes};
}

NetResult<HttpResponseHead> parsed_response_head(std::string_view head) {
    if (!head.ends_with(kHeadEnd)) {
        return broken("its head has no end");
    }
    head.remove_suffix(2);
    const std::string_view status_line = head.substr(0, head.find("\r\n"));
    HttpResponseHead result;
    result.status = status_of(status_line);
    if (result.status == 0) {
        return broken("its first line is wrong");
    }
    Framing framing;
    head.remove_prefix(status_line.size() + 2);
    while (!head.empty()) {
        const std::string_view fault = fault_in_added(result.headers, framing, head);
        if (!fault.empty()) {
            return broken(fault);
        }
    }
    if (framing.is_chunked && framing.length_bytes) {
        return broken("it has a length and chunks");
    }
    result.framing = body_framing(framing, result.status);
    const bool is_current_version = status_line[kProtocol.size()] == '1';
    result.keeps_alive = result.framing.kind != BodyFraming::Kind::until_close &&
                         !framing.says_close && (is_current_version || framing.says_keep_alive);
    return result;
}

}  // namespace holdfast::net
