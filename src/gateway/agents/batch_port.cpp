#include "agents/batch_port.hpp"

#include <optional>
#include <utility>

namespace holdfast::agents {

BatchAnswer::BatchAnswer(std::shared_ptr<ReplyPort> port, std::size_t count)
    : port_(std::move(port)), state_(State{.missing = count}) {}

void BatchAnswer::add(std::string message) {
    const auto complete = state_.with([&message](State& state) -> std::optional<std::string> {
        if (!message.empty()) {
            state.joined.append(state.joined.empty() ? "[" : ",").append(message);
        }
        return --state.missing == 0 ? std::optional{std::move(state.joined)} : std::nullopt;
    });
    if (!complete) {
        return;
    }
    if (complete->empty()) {
        port_->abandon();
    } else {
        port_->finish(*complete + ']');
    }
}

void BatchPort::send(std::string message, Importance importance) {
    batch_->port().send(std::move(message), importance);
}

void BatchPort::finish(std::string message, int /*http_status*/) {
    batch_->add(std::move(message));
}

void BatchPort::abandon() {
    batch_->add({});
}

void BatchPort::on_gone(std::function<void()> /*listener*/) {
    // Batches exist only in legacy sessions, whose agents may reconnect to fetch the answers.
}

}  // namespace holdfast::agents
