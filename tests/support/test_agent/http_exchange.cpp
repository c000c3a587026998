#include "support/test_agent/http_exchange.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <tuple>
#include <utility>

namespace holdfast::test {
namespace {

constexpr std::string_view kLineBreak = "\r\n";

std::size_t number_in(std::string_view text, int base) {
    std::size_t number = 0;
    std::from_chars(text.data(), text.data() + text.size(), number, base);
    return number;
}

bool is_same_name(std::string_view left, std::string_view right) {
    return std::ranges::equal(left, right, [](unsigned char one, unsigned char other) {
        return std::tolower(one) == std::tolower(other);
    });
}

/// Returns the content of one event: that of its `data` lines.
std::string data_of_event(std::string_view event) {
    std::string data;
    while (!event.empty()) {
        const std::size_t end = std::min(event.find('\n'), event.size());
        std::string_view line = event.substr(0, end);
        event.remove_prefix(std::min(end + 1, event.size()));
        if (line.ends_with('\r')) {
            line.remove_suffix(1);
        }
        if (line.starts_with("data:")) {
            line.remove_prefix(line.starts_with("data: ") ? 6 : 5);
            data.append(data.empty() ? "" : "\n").append(line);
        }
    }
    return data;
}

}  // namespace

std::string http_text(std::uint16_t port, const HttpRequest& request) {
    std::string text = request.method + " " + request.path +
                       " HTTP/1.1\r\nHost: 127.0.0.1:" + std::to_string(port) +
                       "\r\nAccept: application/json, text/event-stream\r\n" + request.headers;
    if (request.method == "POST") {
        text += "Content-Type: application/json\r\nContent-Length: " +
                std::to_string(request.body.size()) + "\r\n";
    }
    return text + "\r\n" + request.body;
}

HttpExchange::HttpExchange(std::uint16_t port, std::string_view request)
    : stream_(ByteStream::connected_to(port)) {
    // A server may answer and close before it has read everything; its answer is still read.
    std::ignore = stream_.write(request);
}

bool HttpExchange::advance(std::chrono::milliseconds limit) {
    if (is_complete_) {
        return false;
    }
    if (!stream_.read_into(pending_, limit)) {
        return false;
    }
    parse();
    return true;
}

bool HttpExchange::complete() {
    while (advance()) {
    }
    return is_complete_;
}

void HttpExchange::parse() {
    if (status_ == 0) {
        parse_head();
    }
    if (status_ == 0) {
        return;
    }
    if (is_chunked_) {
        parse_chunks();
    } else {
        body_ += std::exchange(pending_, {});
        is_complete_ = body_.size() >= expected_;
    }
}

void HttpExchange::parse_head() {
    const std::size_t end = pending_.find("\r\n\r\n");
    if (end == std::string::npos) {
        return;
    }
    head_ = pending_.substr(0, end + 2);
    pending_.erase(0, end + 4);
    status_ = static_cast<int>(number_in(head_.substr(head_.find(' ') + 1, 3), 10));
    is_chunked_ = header("Transfer-Encoding") == "chunked";
    expected_ = number_in(header("Content-Length"), 10);
}

void HttpExchange::parse_chunks() {
    std::size_t begin = 0;
    while (!is_complete_) {
        const std::size_t line_end = pending_.find(kLineBreak, begin);
        if (line_end == std::string::npos) {
            break;
        }
        const std::size_t size =
            number_in(std::string_view{pending_}.substr(begin, line_end - begin), 16);
        const std::size_t content = line_end + 2;
        if (pending_.size() < content + size + 2) {
            break;
        }
        body_.append(pending_, content, size);
        begin = content + size + 2;
        is_complete_ = size == 0;
    }
    pending_.erase(0, begin);
}

std::string HttpExchange::header(std::string_view name) const {
    std::string_view rest = head_;
    while (!rest.empty()) {
        const std::size_t end = std::min(rest.find(kLineBreak), rest.size());
        const std::string_view line = rest.substr(0, end);
        rest.remove_prefix(std::min(end + 2, rest.size()));
        const std::size_t colon = line.find(':');
        if (colon != std::string_view::npos && is_same_name(line.substr(0, colon), name)) {
            const std::size_t value = line.find_first_not_of(' ', colon + 1);
            return value == std::string_view::npos ? std::string{}
                                                   : std::string{line.substr(value)};
        }
    }
    return {};
}

std::string HttpExchange::take_message() {
    if (!header("Content-Type").starts_with("text/event-stream")) {
        return is_complete_ && std::exchange(taken_, body_.size()) == 0 ? body_ : std::string{};
    }
    for (std::size_t end = body_.find("\n\n", taken_); end != std::string::npos;
         end = body_.find("\n\n", taken_)) {
        std::string data = data_of_event(std::string_view{body_}.substr(taken_, end - taken_));
        taken_ = end + 2;
        if (!data.empty()) {
            return data;
        }
    }
    return {};
}

HttpExchange http_exchange(std::uint16_t port, const HttpRequest& request) {
    HttpExchange exchange{port, http_text(port, request)};
    std::ignore = exchange.complete();  // the status shows a failure
    return exchange;
}

}  // namespace holdfast::test
