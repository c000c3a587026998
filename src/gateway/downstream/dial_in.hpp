#pragma once

#include <functional>
#include <memory>
#include <string>

#include "downstream/stream_opener.hpp"
#include "net/loop.hpp"
#include "net/message_channel.hpp"

namespace holdfast::downstream {

/// Where a server that connects to us is waited for, such as a page in a browser. It has one
/// connection at a time, and the newest is the one: whatever was there before is closed with a word
/// of explanation, so that a page that was loaded anew is not shut out by its own past.
///
/// Thread-safety: belongs to its loop, the home of the downstream that it is for.
class DialIn final : public std::enable_shared_from_this<DialIn> {
public:
    /// `path` is where it connects, for messages.
    DialIn(net::OwningLoop home, std::string path)
        : home_(std::move(home)), path_(std::move(path)) {}
    DialIn(const DialIn&) = delete;
    DialIn& operator=(const DialIn&) = delete;
    ~DialIn() = default;

    /// Is told that somebody has connected. Once, before the loop runs.
    void set_listener(std::function<void()> listener) { listener_ = std::move(listener); }
    /// Somebody has connected. The channel lives on the home loop.
    void on_dialled_in(std::unique_ptr<net::MessageChannel> channel);

    /// Gives whoever has connected, and fails at once if nobody has. Shares the ownership of this.
    [[nodiscard]] ChannelSource source();

    [[nodiscard]] const net::OwningLoop& home() const noexcept { return home_; }
    [[nodiscard]] const std::string& path() const noexcept { return path_; }

private:
    struct Visit;
    class VisitChannel;

    static boost::asio::awaitable<net::NetResult<std::unique_ptr<net::MessageChannel>>> take(
        std::shared_ptr<DialIn> self);
    static boost::asio::awaitable<void> dismiss(std::shared_ptr<Visit> visit);

    const net::OwningLoop home_;
    const std::string path_;
    std::function<void()> listener_;
    std::shared_ptr<Visit> waiting_;  // nobody has taken it yet
    std::weak_ptr<Visit> taken_;      // whoever was taken last has it
};

}  // namespace holdfast::downstream
