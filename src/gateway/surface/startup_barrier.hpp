#pragma once

#include <boost/asio/awaitable.hpp>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "downstream/listing.hpp"
#include "holdfast/resilience/synchronized.hpp"
#include "net/loop.hpp"

namespace holdfast::surface {

/// Knows which servers have neither listed their items nor failed since the start. It delays list
/// requests at startup until the new ones among them have, or until a time limit. Without the
/// barrier an agent that asks during the startup would get an empty list.
///
/// Thread-safety: from any thread. Work is run without a lock held, on its own loop.
class StartupBarrier final {
public:
    /// Sets the servers that start, and those among them that are not waited for, because an
    /// earlier run has waited for them too long.
    void expect(std::set<std::string> servers, const std::set<std::string>& unawaited = {});
    /// A server starts later than the others, and no list request waits for it.
    void expect_more(const std::string& server);
    /// Sets the lists that a server still has to send. The server is done when all have arrived.
    void expect_lists(const std::string& server, std::set<downstream::ListKind> kinds);
    void on_listed(const std::string& server, downstream::ListKind kind);
    /// The server has no lists to send for now.
    void on_heard(const std::string& server);
    /// Returns the servers that were awaited until now. They still count as starting.
    std::set<std::string> on_time_up();

    /// The servers that have neither listed their items nor failed yet, in alphabetical order.
    [[nodiscard]] std::set<std::string> starting() const;
    [[nodiscard]] bool is_starting(const std::string& server) const;
    /// Runs the work once the server is not starting any more: immediately if it is not, else on
    /// that loop.
    void when_heard(const std::string& server, const net::OwningLoop& loop,
                    std::function<void()> work);

    [[nodiscard]] bool is_over() const;
    /// Waits until the barrier is open. Must be awaited on `loop`. False if the coroutine was
    /// cancelled. If the barrier is destroyed meanwhile, only a cancellation ends the wait.
    [[nodiscard]] boost::asio::awaitable<bool> wait(const net::OwningLoop& loop);
    /// Runs the work once the barrier is open: immediately if it is, else on that loop.
    void when_over(const net::OwningLoop& loop, std::function<void()> work);

private:
    struct Waiting {
        net::OwningLoop loop;
        std::function<void()> work;
    };
    struct State {
        std::set<std::string> unheard = {};
        std::set<std::string> awaited = {};                                   // part of `unheard`
        std::map<std::string, std::set<downstream::ListKind>> unlisted = {};  // by server
        std::vector<Waiting> waiting = {};
        std::multimap<std::string, Waiting> waiting_for = {};  // by server
    };

    void run_if_over();

    resilience::Synchronized<State> state_;
};

}  // namespace holdfast::surface
