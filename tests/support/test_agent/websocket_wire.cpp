#include <tuple>

#include "support/test_agent/agent_wire.hpp"
#include "support/test_agent/websocket_frames.hpp"

namespace holdfast::test {
namespace {

class WebSocketWire final : public AgentWire {
public:
    WebSocketWire(std::uint16_t port, const std::string& headers)
        : frames_(port, {.headers = headers}) {}

    [[nodiscard]] bool is_open() const noexcept { return frames_.status() == 101; }

    void send(const OutgoingMessage& message) override {
        // a missing answer shows a failure
        std::ignore = frames_.write(frame_text({.content = message.text}));
    }

    std::string receive(std::chrono::milliseconds limit) override {
        std::string message;
        while (auto frame = frames_.next(limit)) {
            if (frame->kind == FrameKind::ping) {
                std::ignore =
                    frames_.write(frame_text({.kind = FrameKind::pong, .content = frame->content}));
                continue;
            }
            if (frame->kind != FrameKind::text && frame->kind != FrameKind::continuation) {
                return {};
            }
            message += frame->content;
            if (frame->is_last) {
                return message;
            }
        }
        return {};
    }

private:
    WebSocketFrames frames_;
};

}  // namespace

std::unique_ptr<AgentWire> make_websocket_wire(std::uint16_t port, const std::string& headers) {
    auto wire = std::make_unique<WebSocketWire>(port, headers);
    return wire->is_open() ? std::move(wire) : nullptr;
}

}  // namespace holdfast::test
