#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "downstream/listing.hpp"
#include "holdfast/resilience/synchronized.hpp"
#include "net/loop.hpp"

namespace holdfast::surface {

/// The first moments of a gateway: a server of which nothing is known yet is about to tell its
/// lists. Whoever asks for a list in these moments waits for a short while, since an empty list
/// would be the truth and of no use. Over once every server has been heard of, or when the time is
/// up.
///
/// Thread-safety: from any thread. Work is run without a lock held, on its own loop.
class StartupBarrier final {
public:
    /// Waits for these servers.
    void expect(std::set<std::string> servers);
    /// What that server has still to tell: it counts as heard when all of it has come.
    void expect_lists(const std::string& server, std::set<downstream::ListKind> kinds);
    void on_listed(const std::string& server, downstream::ListKind kind);
    /// It has nothing to tell for now.
    void on_heard(const std::string& server);
    void on_time_up();

    [[nodiscard]] bool is_over() const;
    /// Runs the work when it is over: at once if it is, else on that loop.
    void when_over(const net::OwningLoop& loop, std::function<void()> work);

private:
    struct Waiting {
        net::OwningLoop loop;
        std::function<void()> work;
    };
    struct State {
        std::set<std::string> unheard = {};
        std::map<std::string, std::set<downstream::ListKind>> unlisted = {};  // by server
        std::vector<Waiting> waiting = {};
    };

    void run_if_over();

    resilience::Synchronized<State> state_;
};

}  // namespace holdfast::surface
