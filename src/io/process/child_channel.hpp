#pragma once

#include <memory>

#include "net/message_channel.hpp"
#include "process/child_options.hpp"
#include "process/child_process.hpp"

namespace holdfast::process {

/// A child process as a channel: a message is a line. `close` stops the child with
/// `ChildProcess::stop`, which first closes the child's input. Pending messages are dropped,
/// because a child that is stopping does not need them.
///
/// Thread-safety: none; belongs to the loop of the child.
class ChildChannel final : public net::MessageChannel {
public:
    explicit ChildChannel(std::unique_ptr<ChildProcess> child,
                          const StopOptions& stop_options = {});

    [[nodiscard]] net::NetResult<void> try_write(std::string_view json) override;
    [[nodiscard]] net::NetResult<void> try_write_urgent(std::string_view json) override;
    [[nodiscard]] boost::asio::awaitable<net::NetResult<std::string_view>> read() override;
    [[nodiscard]] boost::asio::awaitable<void> close() override;

    /// For its exit and its log.
    [[nodiscard]] ChildProcess& child() noexcept { return *child_; }

private:
    const std::unique_ptr<ChildProcess> child_;
    const StopOptions stop_options_;
};

}  // namespace holdfast::process
