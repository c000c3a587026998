#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <utility>

#include "net/message_channel.hpp"

namespace holdfast::downstream {

/// The writing end of a link: the channel, and the ids of sent messages. Writes after the end fail.
///
/// Thread-safety: none; belongs to the home loop.
class StreamOutlet final {
public:
    explicit StreamOutlet(std::unique_ptr<net::MessageChannel> channel)
        : channel_(std::move(channel)) {}

    /// Never returns the same id twice.
    [[nodiscard]] std::uint64_t next_id() noexcept { return ++last_id_; }

    [[nodiscard]] net::NetResult<void> try_write(std::string_view json) {
        return channel_ ? channel_->try_write(json) : closed();
    }
    [[nodiscard]] net::NetResult<void> try_write_urgent(std::string_view json) {
        return channel_ ? channel_->try_write_urgent(json) : closed();
    }

    /// Null after the end.
    [[nodiscard]] net::MessageChannel* channel() const noexcept { return channel_.get(); }
    void end() {
        // Moved out first, so that code woken by the end finds no channel.
        const auto ended = std::move(channel_);
    }

private:
    static net::NetResult<void> closed() {
        return net::NetError{.code = net::NetErrc::closed, .message = "the link is closed"};
    }

    std::unique_ptr<net::MessageChannel> channel_;
    std::uint64_t last_id_ = 0;
};

}  // namespace holdfast::downstream
