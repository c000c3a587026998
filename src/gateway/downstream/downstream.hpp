#pragma once

#include <boost/asio/awaitable.hpp>
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "downstream/answer.hpp"
#include "downstream/call_listener.hpp"
#include "downstream/downstream_options.hpp"
#include "downstream/downstream_status.hpp"
#include "downstream/downstream_watcher.hpp"
#include "downstream/link_opener.hpp"
#include "downstream/listing.hpp"
#include "downstream/request.hpp"
#include "downstream/started_call.hpp"
#include "net/loop.hpp"

namespace holdfast::downstream {

class DownstreamCore;

/// One server behind the gateway. It connects, lists, reconnects with growing delays, and passes
/// each call to the agent's own link or the shared one. It alone reconnects, so there is at most
/// one attempt at a time. The home loop must outlive it. It may be destroyed at any time on any
/// loop; its links are then closed in the background.
///
/// Thread-safety: `call` and `start_call` on any loop, `status` and `last_log_lines` from any
/// thread; all else on the home loop.
class Downstream final : public std::enable_shared_from_this<Downstream> {
public:
    /// Requires that `options.reconnect` passes `validated`.
    [[nodiscard]] static std::shared_ptr<Downstream> make(net::OwningLoop home,
                                                          std::unique_ptr<LinkOpener> opener,
                                                          DownstreamOptions options,
                                                          std::weak_ptr<DownstreamWatcher> watcher);

    Downstream(const Downstream&) = delete;
    Downstream& operator=(const Downstream&) = delete;
    ~Downstream();

    /// Connects in the background and stays connected. No effect if already started.
    void start();
    /// The server is reachable now: connects at once instead of waiting for the next attempt.
    void on_available();
    /// Operator commands; each returns whether it changed anything. `pause` closes the links, and
    /// calls fail at once. `resume` reconnects at once. `restart` replaces the current link by a
    /// new one.
    bool pause();
    bool resume();
    bool restart();
    /// Closes all links gracefully within `stop_wait`; calls fail from now on.
    [[nodiscard]] boost::asio::awaitable<void> stop();

    /// Runs one request and starts the downstream if necessary. Without a connection it waits
    /// according to `Request::connection_wait`, or fails at once and reports the time of the next
    /// dial. If a session ended before the server processed the request, the request is sent once
    /// more on a new session.
    [[nodiscard]] boost::asio::awaitable<CallResult> call(net::OwningLoop caller, Request request,
                                                          std::shared_ptr<CallListener> listener);
    /// Starts one request as `call` does, and reports to the observer on the caller's loop. The
    /// observer is owned until the result.
    [[nodiscard]] std::shared_ptr<StartedCall> start_call(
        const net::OwningLoop& caller, const Request& request,
        const std::shared_ptr<CallObserver>& observer);

    /// Sends to the agent's own link or else to the shared one. Modern downstreams get no
    /// notifications.
    void notify(std::string_view method, std::string params, const std::string& agent_key);
    /// Sets the resources an agent subscribes to; empty = none. Survives reconnects.
    void set_subscriptions(const std::string& agent_key, std::vector<std::string> uris);
    /// Sets an agent's log level; empty = none. A shared link gets the most verbose level of all
    /// agents. Modern downstreams get the level with each request instead.
    void set_log_level(const std::string& agent_key, std::string_view level);
    /// The agent has disconnected. Closes its links; the owners of its calls cancel them.
    void end_agent(const std::string& agent_key);

    [[nodiscard]] const std::string& name() const noexcept;
    [[nodiscard]] DownstreamStatus status() const;
    /// Returns the last log lines of the process, or those of the last failed start.
    [[nodiscard]] std::vector<std::string> last_log_lines(std::size_t count) const;

private:
    explicit Downstream(std::shared_ptr<DownstreamCore> core);

    // Shared with its running coroutines and with calls on other loops.
    const std::shared_ptr<DownstreamCore> core_;
};

}  // namespace holdfast::downstream
