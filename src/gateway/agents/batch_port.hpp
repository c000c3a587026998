#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "agents/reply_port.hpp"
#include "holdfast/resilience/synchronized.hpp"

namespace holdfast::agents {

/// Collects the answers to the requests of one batch and sends them together.
///
/// Thread-safety: from any loop.
class BatchAnswer final {
public:
    /// `count` requests will be answered through `port`.
    BatchAnswer(std::shared_ptr<ReplyPort> port, std::size_t count);

    /// Adds the answer to one request; empty if the request was cancelled.
    void add(std::string message);
    [[nodiscard]] ReplyPort& port() const noexcept { return *port_; }

private:
    struct State {
        std::string joined = {};
        std::size_t missing = 0;
    };

    const std::shared_ptr<ReplyPort> port_;
    resilience::Synchronized<State> state_;
};

/// The reply port of one request in a batch.
///
/// Thread-safety: from any loop.
class BatchPort final : public ReplyPort {
public:
    explicit BatchPort(std::shared_ptr<BatchAnswer> batch) : batch_(std::move(batch)) {}

    void send(std::string message, Importance importance) override;
    void finish(std::string message, int http_status) override;
    void abandon() override;
    [[nodiscard]] bool can_ask() const override { return batch_->port().can_ask(); }
    void on_gone(std::function<void()> listener) override;

private:
    const std::shared_ptr<BatchAnswer> batch_;
};

}  // namespace holdfast::agents
