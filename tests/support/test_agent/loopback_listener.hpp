#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include "support/test_agent/byte_stream.hpp"

namespace holdfast::test {

/// A listening loopback port whose connections a test serves byte by byte, including misbehaviour.
///
/// Thread-safety: none.
class LoopbackListener final {
public:
    /// Zero = any free port. `backlog` is the number of connections that may wait to be accepted.
    explicit LoopbackListener(std::uint16_t port = 0, int backlog = 64);
    LoopbackListener(const LoopbackListener&) = delete;
    LoopbackListener& operator=(const LoopbackListener&) = delete;
    ~LoopbackListener() { close(); }

    [[nodiscard]] std::uint16_t port() const noexcept { return port_; }
    [[nodiscard]] std::string url() const { return "http://127.0.0.1:" + std::to_string(port_); }
    /// Returns the next connection; its operations fail if none arrives in time.
    [[nodiscard]] ByteStream accept(std::chrono::milliseconds limit = kPatience) const;
    /// Refuses connections from now on.
    void close();

private:
    int socket_ = -1;
    std::uint16_t port_ = 0;
};

/// Reads one HTTP/1.1 request, with its body if it has a `Content-Length`. Empty if it is
/// incomplete.
[[nodiscard]] std::string http_request_from(const ByteStream& stream);

}  // namespace holdfast::test
