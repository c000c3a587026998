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

/// One server behind the gateway. It connects, lists, reconnects with growing delays, and passes
/// each call to the agent's own link or the shared one. It alone reconnects, so there is at most
/// one attempt at a time. The home loop must outlive it. Its last owner may release it at any time
/// on any loop; its links are then closed in the background.
///
/// Thread-safety: `call` and `start_call` on any loop, `status` and `last_log_lines` from any
/// thread; all else on the home loop.
class Downstream {
public:
    /// Requires that `options.reconnect` passes `validated`.
    [[nodiscard]] static std::shared_ptr<Downstream> make(net::OwningLoop home,
                                                          std::unique_ptr<LinkOpener> opener,
                                                          DownstreamOptions options,
                                                          std::weak_ptr<DownstreamWatcher> watcher);

    Downstream() = default;
    Downstream(const Downstream&) = delete;
    Downstream& operator=(const Downstream&) = delete;
    virtual ~Downstream() = default;

    /// Connects in the background and stays connected. No effect if already started.
    virtual void start() = 0;
    /// The server is reachable now: connects at once instead of waiting for the next attempt.
    virtual void on_available() = 0;
    /// Operator commands; each returns whether it changed anything. `pause` closes the links, and
    /// calls fail at once. `resume` reconnects at once. `restart` replaces the current link by a
    /// new one.
    virtual bool pause() = 0;
    virtual bool resume() = 0;
    virtual bool restart() = 0;
    /// Closes all links gracefully within `stop_wait`; calls fail from now on.
    [[nodiscard]] virtual boost::asio::awaitable<void> stop() = 0;

    /// Runs one request and starts the downstream if necessary. Without a connection it waits
    /// according to `Request::connection_wait`, or fails at once and reports the time of the next
    /// dial. If a session ended before the server processed the request, the request is sent once
    /// more on a new session.
    [[nodiscard]] virtual boost::asio::awaitable<CallResult> call(
        net::OwningLoop caller, Request request, std::shared_ptr<CallListener> listener) = 0;
    /// Starts one request as `call` does, and reports to the observer on the caller's loop. The
    /// observer is owned until the result. The returned pointer may expire earlier.
    [[nodiscard]] virtual std::weak_ptr<StartedCall> start_call(
        const net::OwningLoop& caller, const Request& request,
        const std::shared_ptr<CallObserver>& observer);

    /// Sends to the agent's own link or else to the shared one. Modern downstreams get no
    /// notifications.
    virtual void notify(std::string_view method, std::string params,
                        const std::string& agent_key) = 0;
    /// Sets the resources an agent subscribes to; empty = none. Survives reconnects.
    virtual void set_subscriptions(const std::string& agent_key, std::vector<std::string> uris) = 0;
    /// Sets an agent's log level; empty = none. A shared link gets the most verbose level of all
    /// agents. Modern downstreams get the level with each request instead.
    virtual void set_log_level(const std::string& agent_key, std::string_view level) = 0;
    /// The agent has disconnected. Closes its links; the owners of its calls cancel them.
    virtual void end_agent(const std::string& agent_key) = 0;

    [[nodiscard]] virtual const std::string& name() const noexcept = 0;
    [[nodiscard]] virtual DownstreamStatus status() const = 0;
    /// Returns the last log lines of the process, or those of the last failed start.
    [[nodiscard]] virtual std::vector<std::string> last_log_lines(std::size_t count) const = 0;
};

}  // namespace holdfast::downstream
