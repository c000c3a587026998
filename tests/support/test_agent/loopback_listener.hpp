#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include "support/test_agent/byte_stream.hpp"

namespace holdfast::test {

/// A listening loopback port whose connections a test serves byte by byte, as badly as it likes.
///
/// Thread-safety: none.
class LoopbackListener final {
public:
    /// Zero = any port that is free. `backlog` is how many connections may wait to be accepted.
    explicit LoopbackListener(std::uint16_t port = 0, int backlog = 64);
    LoopbackListener(const LoopbackListener&) = delete;
    LoopbackListener& operator=(const LoopbackListener&) = delete;
    ~LoopbackListener() { close(); }

    [[nodiscard]] std::uint16_t port() const noexcept { return port_; }
    [[nodiscard]] std::string url() const { return "http://127.0.0.1:" + std::to_string(port_); }
    /// The next connection; one whose operations fail if none comes in time.
    [[nodiscard]] ByteStream accept(std::chrono::milliseconds limit = kPatience) const;
    /// From now on connections are refused.
    void close();

private:
    int socket_ = -1;
    std::uint16_t port_ = 0;
};

/// Reads one request of HTTP/1.1, with its body if it has a `Content-Length`. Empty if it does not
/// come whole.
[[nodiscard]] std::string http_request_from(const ByteStream& stream);

}  // namespace holdfast::test
