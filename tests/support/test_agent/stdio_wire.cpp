#include <tuple>
#include <utility>

#include "support/test_agent/agent_wire.hpp"

namespace holdfast::test {
namespace {

class StdioWire final : public AgentWire {
public:
    explicit StdioWire(ByteStream stream) : stream_(std::move(stream)) {}

    void send(const OutgoingMessage& message) override {
        std::ignore =
            stream_.write(message.text + "\n");  // a gateway that has ended does not answer
    }

    std::string receive(std::chrono::milliseconds limit) override {
        std::size_t end = pending_.find('\n');
        while (end == std::string::npos) {
            const std::size_t seen = pending_.size();
            if (!stream_.read_into(pending_, limit)) {
                return {};
            }
            end = pending_.find('\n', seen);
        }
        std::string message = pending_.substr(0, end);
        pending_.erase(0, end + 1);
        return message;
    }

private:
    ByteStream stream_;
    std::string pending_;
};

}  // namespace

std::unique_ptr<AgentWire> make_stdio_wire(ByteStream stream) {
    return std::make_unique<StdioWire>(std::move(stream));
}

}  // namespace holdfast::test
