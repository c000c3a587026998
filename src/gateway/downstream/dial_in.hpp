#pragma once

#include <functional>
#include <memory>
#include <string>

#include "downstream/stream_opener.hpp"
#include "net/loop.hpp"
#include "net/message_channel.hpp"

namespace holdfast::downstream {

/// Waits for a server that connects to the gateway, such as a browser page. A server has one
/// connection at a time. A new connection replaces the old one, which is closed with a reason, so
/// that a reloaded page is not locked out by its own earlier connection.
///
/// Thread-safety: belongs to its loop, the home loop of its downstream.
class DialIn final : public std::enable_shared_from_this<DialIn> {
public:
    /// `path` is the path at which the server connects; for messages.
    DialIn(net::OwningLoop home, std::string path)
        : home_(std::move(home)), path_(std::move(path)) {}
    DialIn(const DialIn&) = delete;
    DialIn& operator=(const DialIn&) = delete;
    ~DialIn() = default;

    /// Sets the function to call when a server connects. Call once, before the loop runs.
    void set_listener(std::function<void()> listener) { listener_ = std::move(listener); }
    /// A server has connected. The channel lives on the home loop.
    void on_dialled_in(std::unique_ptr<net::MessageChannel> channel);

    /// Returns a source of the connected channel; it fails at once if there is no connection.
    /// Shares ownership of this object.
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
    std::shared_ptr<Visit> waiting_;  // not yet taken by a source
    std::weak_ptr<Visit> taken_;      // the channel taken last
};

}  // namespace holdfast::downstream
