#include "net/http/server/http_reply_head.hpp"

#include <array>
#include <charconv>
#include <concepts>

namespace holdfast::net {
namespace {

template <std::integral Number>
void append_number(std::string& out, Number number) {
    std::array<char, 24> digits{};
    const auto [end, error] = std::to_chars(digits.data(), digits.data() + digits.size(), number);
    out.append(digits.data(), end);
}

void append_status_line(std::string& out, int status) {
    if (status == 200) {
        out += "HTTP/1.1 200 OK\r\n";
        return;
    }
    out += "HTTP/1.1 ";
    append_number(out, status);
    out += ' ';
    out += status_text(status);
    out += "\r\n";
}

}  // namespace

std::string_view status_text(int status) noexcept {
    struct Named {
        int status;
        std::string_view text;
    };
    static constexpr std::array kNamed{
        Named{200, "OK"},
        Named{202, "Accepted"},
        Named{204, "No Content"},
        Named{304, "Not Modified"},
        Named{307, "Temporary Redirect"},
        Named{400, "Bad Request"},
        Named{401, "Unauthorized"},
        Named{403, "Forbidden"},
        Named{404, "Not Found"},
        Named{405, "Method Not Allowed"},
        Named{406, "Not Acceptable"},
        Named{408, "Request Timeout"},
        Named{409, "Conflict"},
        Named{413, "Content Too Large"},
        Named{415, "Unsupported Media Type"},
        Named{417, "Expectation Failed"},
        Named{426, "Upgrade Required"},
        Named{429, "Too Many Requests"},
        Named{431, "Request Header Fields Too Large"},
        Named{500, "Internal Server Error"},
        Named{501, "Not Implemented"},
        Named{502, "Bad Gateway"},
        Named{503, "Service Unavailable"},
        Named{504, "Gateway Timeout"},
        Named{505, "HTTP Version Not Supported"},
    };
    for (const Named& named : kNamed) {
        if (named.status == status) {
            return named.text;
        }
    }
    return "Status";
}

bool may_have_body(int status) noexcept {
    return status >= 200 && status != 204 && status != 304;
}

void append_reply_head(std::string& out, const HttpReply& reply, HttpPersistence persistence) {
    append_status_line(out, reply.status);
    if (!reply.content_type.empty() && !reply.body.empty()) {
        out += "Content-Type: ";
        out += reply.content_type;
        out += "\r\n";
    }
    if (may_have_body(reply.status)) {
        out += "Content-Length: ";
        append_number(out, reply.body.size());
        out += "\r\n";
    }
    out += reply.headers;
    switch (persistence) {
        case HttpPersistence::implied:
            break;
        case HttpPersistence::announced:
            out += "Connection: keep-alive\r\n";
            break;
        case HttpPersistence::closes:
            out += "Connection: close\r\n";
            break;
    }
    out += "\r\n";
}

void append_stream_head(std::string& out, std::string_view headers, HttpStreamEnd end) {
    append_status_line(out, 200);
    out +=
        "Content-Type: text/event-stream\r\n"
        "Cache-Control: no-cache\r\n"
        "X-Accel-Buffering: no\r\n";
    if (end.is_chunked) {
        out += "Transfer-Encoding: chunked\r\n";
    }
    if (end.closes) {
        out += "Connection: close\r\n";
    }
    out += headers;
    out += "\r\n";
}

HttpReply make_refusal(int status, std::string_view message) {
    HttpReply reply{.status = status};
    reply.body.reserve(message.size() + 16);
    reply.body += R"({"error":")";
    reply.body += message;
    reply.body += R"("})";
    return reply;
}

}  // namespace holdfast::net
