#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "support/test_agent/byte_stream.hpp"

namespace holdfast::test {

/// What is sent in addition to the usual lines of a request.
struct HttpRequest {
    std::string method = "POST";
    std::string path = "/mcp";
    std::string headers = {};  ///< Lines, each with its line break.
    std::string body = {};
};

/// Returns the bytes of a request with `Host`, `Accept`, `Content-Type` and `Content-Length`.
[[nodiscard]] std::string http_text(std::uint16_t port, const HttpRequest& request);

/// One request on its own connection, and its response as far as it has arrived.
///
/// Thread-safety: none.
class HttpExchange final {
public:
    HttpExchange(std::uint16_t port, std::string_view request);

    /// Reads the next bytes; false if the response is complete, or nothing arrives in time.
    [[nodiscard]] bool advance(std::chrono::milliseconds limit = kPatience);
    /// Reads until the response is complete; false if it does not complete.
    [[nodiscard]] bool complete();

    /// 0 before the head has arrived.
    [[nodiscard]] int status() const noexcept { return status_; }
    [[nodiscard]] const std::string& head() const noexcept { return head_; }
    /// Returns the value of a header; empty if it is missing.
    [[nodiscard]] std::string header(std::string_view name) const;
    /// The received part of the body, decoded.
    [[nodiscard]] const std::string& body() const noexcept { return body_; }
    [[nodiscard]] bool is_complete() const noexcept { return is_complete_; }
    /// Returns the next received message: the body, or an event of a stream. Empty if there is
    /// none.
    [[nodiscard]] std::string take_message();
    [[nodiscard]] int descriptor() const noexcept { return stream_.input(); }
    [[nodiscard]] ByteStream& stream() noexcept { return stream_; }

private:
    void parse();
    void parse_head();
    void parse_chunks();

    ByteStream stream_;
    std::string pending_;
    std::string head_;
    std::string body_;
    int status_ = 0;
    std::size_t expected_ = std::string::npos;
    std::size_t taken_ = 0;
    bool is_chunked_ = false;
    bool is_complete_ = false;
};

/// Sends one request and waits for its whole response.
[[nodiscard]] HttpExchange http_exchange(std::uint16_t port, const HttpRequest& request);

}  // namespace holdfast::test
