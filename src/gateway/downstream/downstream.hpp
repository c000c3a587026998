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

/// One server behind the gateway: connects, lists, reconnects with a growing delay, and hands each
/// call to the link that is the agent's own or the shared one. One owner of reconnecting: never two
/// tries at once. The home loop must outlive it; it may be destroyed at any time and on any loop,
/// which closes its links in the background.
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

    /// Connects in the background, and stays connected. Does nothing if it has been started.
    void start();
    /// It has said that it can be reached now: whatever was waited for, it is tried at once.
    void on_available();
    /// An operator's wishes; each returns whether it changed anything. Paused, its links are closed
    /// and calls fail at once; resumed, it is connected again at once. A restart puts a new link in
    /// place of the one there is.
    bool pause();
    bool resume();
    bool restart();
    /// Ends all links politely, within `stop_wait`; calls fail from now on.
    [[nodiscard]] boost::asio::awaitable<void> stop();

    /// Runs one request. Starts the downstream if need be. While there is no connection it waits as
    /// `Request::connection_wait` says, or fails at once with the time of the next dial. A request
    /// that did not get through because its session had ended is sent once more on a new one.
    [[nodiscard]] boost::asio::awaitable<CallResult> call(net::OwningLoop caller, Request request,
                                                          std::shared_ptr<CallListener> listener);
    /// Starts one request as `call` does, and reports to the observer on the caller's loop. The
    /// observer is owned until the result.
    [[nodiscard]] std::shared_ptr<StartedCall> start_call(
        const net::OwningLoop& caller, const Request& request,
        const std::shared_ptr<CallObserver>& observer);

    /// To the shared link, or to that agent's own if it has one. A modern downstream gets none.
    void notify(std::string_view method, std::string params, const std::string& agent_key);
    /// Which resources an agent wants to be told of. Empty = none any more. Kept through
    /// reconnects.
    void set_subscriptions(const std::string& agent_key, std::vector<std::string> uris);
    /// The level of log messages that an agent wants, empty = none any more; a shared link gets the
    /// most verbose of all. A modern downstream hears it with each request instead.
    void set_log_level(const std::string& agent_key, std::string_view level);
    /// The agent has gone: its calls are cancelled by their owners, its links are closed here.
    void end_agent(const std::string& agent_key);

    [[nodiscard]] const std::string& name() const noexcept;
    [[nodiscard]] DownstreamStatus status() const;
    /// What the process, if there is one, logged last; after a failed start, what that one did.
    [[nodiscard]] std::vector<std::string> last_log_lines(std::size_t count) const;

private:
    explicit Downstream(std::shared_ptr<DownstreamCore> core);

    // Shared with the coroutines that run for it, and with calls on other loops.
    const std::shared_ptr<DownstreamCore> core_;
};

}  // namespace holdfast::downstream
