#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "support/test_agent/websocket_frames.hpp"

namespace holdfast::test {

/// A page that connects to the gateway and serves tools, one message at a time.
///
/// Thread-safety: none.
class BridgePage final {
public:
    BridgePage(std::uint16_t port, const Upgrade& upgrade,
               std::vector<std::string> tools = {"title"})
        : frames_(port, upgrade), tools_(std::move(tools)) {}

    [[nodiscard]] int status() const { return frames_.status(); }
    /// Answers everything up to and including the list of tools.
    [[nodiscard]] bool serve_list() { return !next("tools/list").empty(); }
    /// Waits for a call of one of its tools, and returns its id.
    [[nodiscard]] std::string next_call(std::chrono::milliseconds limit = kPatience);
    /// Answers pings, the handshake and lists of tools until a message of this method arrives, and
    /// returns that message. Empty if none arrives in time.
    [[nodiscard]] std::string next(std::string_view method,
                                   std::chrono::milliseconds limit = kPatience);
    void answer(const std::string& id, const std::string& text);
    /// Sends an arbitrary message.
    void send(const std::string& text);
    /// Returns the text of the close frame, without its code; drops earlier messages.
    [[nodiscard]] std::string reason_of_close();

private:
    [[nodiscard]] std::string list_of_tools() const;
    void serve(const std::string& method, const std::string& id);

    WebSocketFrames frames_;
    std::vector<std::string> tools_;
};

}  // namespace holdfast::test
