#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "support/test_agent/byte_stream.hpp"

namespace holdfast::test {

enum class FrameKind : std::uint8_t {
    continuation = 0,
    text = 1,
    binary = 2,
    close = 8,
    ping = 9,
    pong = 10
};

struct Frame {
    FrameKind kind = FrameKind::text;
    bool is_last = true;
    std::string content = {};
};

/// Returns the bytes of a client's frame, masked with a mask that changes nothing.
[[nodiscard]] std::string frame_text(const Frame& frame);

/// The parameters of an upgrade request.
struct Upgrade {
    std::string target = "/ws";
    std::string subprotocols = "mcp";  ///< Empty = none.
    std::string headers = {};          ///< Further lines.
};

/// A WebSocket after its handshake, frame by frame.
///
/// Thread-safety: none.
class WebSocketFrames final {
public:
    WebSocketFrames(std::uint16_t port, const Upgrade& upgrade);

    /// The status of the handshake: 101 if it was accepted with the first of the subprotocols.
    [[nodiscard]] int status() const noexcept { return status_; }
    [[nodiscard]] bool write(std::string_view bytes) const { return stream_.write(bytes); }
    /// Returns nothing at the end, and if nothing arrives in time.
    [[nodiscard]] std::optional<Frame> next(std::chrono::milliseconds limit = kPatience);

private:
    [[nodiscard]] std::optional<Frame> take();

    ByteStream stream_;
    std::string pending_;
    int status_ = 0;
};

}  // namespace holdfast::test
