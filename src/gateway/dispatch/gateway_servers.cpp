#include <algorithm>
#include <boost/asio/co_spawn.hpp>
#include <exception>
#include <set>
#include <tuple>
#include <utility>

#include "calls/input_round.hpp"
#include "dispatch/connection_event.hpp"
#include "dispatch/gateway.hpp"
#include "guard/safeguards.hpp"
#include "holdfast/resilience/asio/one_shot.hpp"
#include "net/run_on.hpp"

// The part of `Gateway` that owns the downstreams, from their start to their end, and handles their
// events.

namespace holdfast::dispatch {
namespace {

namespace asio = boost::asio;
using downstream::Listing;

constexpr std::chrono::seconds kStopLimit{30};

// Returns the lists that a server offers.
std::set<downstream::ListKind> lists_in(std::string_view capabilities) {
    std::set<downstream::ListKind> kinds;
    for (const auto& [key, value] : calls::members_of(capabilities)) {
        if (key == "tools") {
            kinds.insert(downstream::ListKind::tools);
        } else if (key == "prompts") {
            kinds.insert(downstream::ListKind::prompts);
        } else if (key == "resources") {
            kinds.insert({downstream::ListKind::resources, downstream::ListKind::templates});
        }
    }
    return kinds;
}

bool has_tools_of(const surface::Surface& surface, const std::string& server) {
    return std::ranges::any_of(surface.tools(), [&server](const surface::Callable& tool) {
        return tool.server->name == server;
    });
}

std::shared_ptr<const std::vector<surface::Server>> guarded(std::vector<surface::Server> servers) {
    for (surface::Server& server : servers) {
        if (!server.guard) {
            server.guard = guard::built_in_guard(server.name);
        }
    }
    return std::make_shared<const std::vector<surface::Server>>(std::move(servers));
}

}  // namespace

void Gateway::adopt(std::vector<surface::Server> adopted) {
    const auto servers = guarded(std::move(adopted));
    servers_.with([&servers](auto& current) { current = servers; });
    publisher_ = std::make_shared<surface::CataloguePublisher>(
        home_, servers, options_.catalogue,
        [weak = weak_from_this()](surface::Publication publication) {
            if (const auto gateway = weak.lock()) {
                gateway->publish(std::move(publication));
            }
        },
        surface::SurfaceContext{.own = std::make_shared<const surface::BuiltinItems>(
                                    std::move(own_tools_), std::move(own_resources_)),
                                .options = surface_options_},
        [weak = weak_from_this()](const std::set<surface::ServerList>& lists) {
            if (const auto gateway = weak.lock()) {
                for (const auto& [server, kind] : lists) {
                    gateway->startup_barrier_.on_listed(server, kind);
                }
            }
        });
    std::set<std::string> unknown;
    std::set<std::string> unawaited;
    std::vector<std::pair<std::string, Listing>> known;
    for (const surface::Server& server : *servers) {
        std::vector<Listing> listings;
        if (listing_cache_) {
            listings = listing_cache_->listings(server.name);
        }
        if (listings.empty()) {
            unknown.insert(server.name);
            if (options_.awaits_once && listing_cache_ &&
                listing_cache_->was_awaited(server.name)) {
                unawaited.insert(server.name);
            }
        }
        for (Listing& listing : listings) {
            known.emplace_back(server.name, std::move(listing));
        }
    }
    startup_barrier_.expect(unknown, unawaited);
    publisher_->begin_with(std::move(known), std::move(unknown));
    home_.timekeeper->schedule(sweep_timer_, home_.timekeeper->now() + options_.sweep_every);
    if (options_.starts_at_once) {
        start_downstreams();
    }
}

void Gateway::start_downstreams() {
    if (is_started_.exchange(true)) {
        return;
    }
    const auto servers = this->servers();
    for (const surface::Server& server : *servers) {
        net::run_on(server.home, [downstream = server.downstream] { downstream->start(); });
    }
    net::run_on(home_, [self = shared_from_this()] {
        self->home_.timekeeper->schedule(self->settle_timer_,
                                         self->home_.timekeeper->now() + self->options_.settle_for);
    });
}

void Gateway::stop_settling() {
    for (const std::string& server : startup_barrier_.on_time_up()) {
        if (listing_cache_) {
            listing_cache_->keep_awaited(server);
        }
    }
}

void Gateway::on_settled(const std::string& server) {
    startup_barrier_.on_heard(server);
    publisher_->on_unlisted(server);
}

void Gateway::sweep_circuits(resilience::TimePoint now) {
    std::size_t count = 0;
    const auto servers = this->servers();
    for (const surface::Server& server : *servers) {
        count += server.guard->sweep_if_due(now);
    }
    if (count > 0 && options_.on_circuits_swept) {
        options_.on_circuits_swept(count);
    }
}

asio::awaitable<void> Gateway::stop_downstreams() {
    struct Countdown {
        explicit Countdown(resilience::Timekeeper& timekeeper) : all_stopped(timekeeper) {}
        resilience::OneShot all_stopped;
        std::size_t missing = 0;
    };
    const auto countdown = std::make_shared<Countdown>(*home_.timekeeper);
    std::vector<surface::Server> all = *servers();
    all.insert(all.end(), leaving_.begin(), leaving_.end());
    countdown->missing = all.size();
    for (const surface::Server& server : all) {
        asio::co_spawn(server.home.executor, server.downstream->stop(),
                       [countdown, home = home_](const std::exception_ptr& /*error*/) {
                           net::run_on(home, [countdown] {
                               if (--countdown->missing == 0) {
                                   countdown->all_stopped.signal();
                               }
                           });
                       });
    }
    if (countdown->missing > 0) {
        // Each downstream has its own limits; this one covers bugs in them.
        std::ignore =
            co_await countdown->all_stopped.wait_until(home_.timekeeper->now() + kStopLimit);
    }
}

void Gateway::note_progress(const std::string& server, const downstream::DownstreamStatus& status) {
    const auto servers = this->servers();
    const auto known = std::ranges::find(*servers, server, &surface::Server::name);
    // A downstream that a reload has replaced still reports its end.
    if (known == servers->end() || known->downstream->status().state != status.state) {
        return;
    }
    if (status.state == downstream::LinkState::waiting ||
        status.state == downstream::LinkState::paused ||
        status.state == downstream::LinkState::stopped) {
        on_settled(server);
    } else if (status.state == downstream::LinkState::ready && status.negotiated) {
        const auto lists = lists_in(status.negotiated->capabilities);
        startup_barrier_.expect_lists(server, lists);
        if (!lists.contains(downstream::ListKind::tools)) {
            publisher_->on_unlisted(server);
        }
    } else if (status.starting_since && !has_tools_of(*surface(), server)) {
        // It starts again before it has listed anything, for example after a pause.
        startup_barrier_.expect_more(server);
    }
}

void Gateway::on_state(const std::string& server, const downstream::DownstreamStatus& status) {
    note_progress(server, status);
    if (status.negotiated) {
        instructions_.with(
            [&](auto& by_server) { by_server[server] = status.negotiated->instructions; });
    }
    if (listing_cache_ && status.negotiated && status.state == downstream::LinkState::ready) {
        listing_cache_->keep_era(server, status.negotiated->era());
    }
    if (options_.on_status) {
        options_.on_status(server, status);
    }
    tell_connection(connection_event(server, status, home_.timekeeper->now()));
}

void Gateway::on_list_problem(const std::string& server, const downstream::ListProblem& problem) {
    tell_connection(list_event(server, problem));
}

void Gateway::on_list_faults(const std::string& server, const downstream::ListFaults& list) {
    tell_connection(list_event(server, list));
}

void Gateway::on_junk(const std::string& server, const downstream::JunkNotice& notice) {
    tell_connection(junk_event(server, notice));
}

void Gateway::tell_connection(record::Event event) {
    // Logged first, so that the log is complete when a reader of the recording looks there.
    if (options_.on_connection) {
        options_.on_connection(event);
    }
    if (options_.recorder) {
        options_.recorder->on_event(std::move(event));
    }
}

void Gateway::on_listed(const std::string& server, Listing listing) {
    if (options_.on_list) {
        options_.on_list(server, listing);
    }
    if (listing_cache_) {
        listing_cache_->keep(server, listing);
    }
    if (listing.entries.empty()) {
        // There is nothing to show, so no surface will be published for it.
        startup_barrier_.on_listed(server, listing.kind);
        if (listing.kind == downstream::ListKind::tools) {
            publisher_->on_unlisted(server);
        }
    }
    publisher_->on_listed(server, std::move(listing));
}

}  // namespace holdfast::dispatch
