#pragma once

#include <atomic>
#include <boost/asio/awaitable.hpp>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "agents/session_registry.hpp"
#include "calls/call_environment.hpp"
#include "catalogue/catalogue_table.hpp"
#include "dispatch/listen.hpp"
#include "dispatch/listing_cache.hpp"
#include "dispatch/loop_state.hpp"
#include "downstream/downstream.hpp"
#include "holdfast/resilience/synchronized.hpp"
#include "holdfast/resilience/timekeeper.hpp"
#include "net/loop_snapshot.hpp"
#include "surface/builtin_items.hpp"
#include "surface/catalogue_publisher.hpp"
#include "surface/router.hpp"
#include "surface/startup_barrier.hpp"
#include "surface/surface.hpp"
#include "surface/tool_inventory.hpp"

namespace holdfast::dispatch {

struct GatewayOptions {
    /// The gateway's own Implementation object.
    std::string identity = R"({"name":"holdfast","version":"0"})";
    catalogue::CatalogueTableOptions catalogue = {};
    std::size_t page_size = 1'000;
    agents::SessionRegistryOptions sessions = {};
    std::size_t max_parked_calls = 1'000;
    resilience::Duration parked_for = std::chrono::minutes{5};  ///< Until the agent comes back.
    std::size_t max_listens = 1'000;
    resilience::Duration ask_timeout = std::chrono::minutes{5};
    std::vector<std::string> secrets = {};  ///< Must not be shown to anybody.
    /// Called for a tool with an unusable schema, from any loop. May be empty.
    std::function<void(const std::string& tool, const std::string& problem)> on_unchecked = {};
    /// Whether downstreams are started at once, or by the first request that needs them.
    bool starts_at_once = true;
    /// How long after the start a list request may wait for new servers.
    resilience::Duration settle_for = std::chrono::milliseconds{1'500};
    /// Whether a server that kept an earlier run waiting is not waited for again.
    bool awaits_once = true;
    /// For calls in flight and for writing their answers, on stop.
    resilience::Duration drain_for = std::chrono::seconds{2};
    /// Asks the listeners for agents what they have not written, on stop. May be empty.
    std::function<void(const std::shared_ptr<net::UnwrittenTally>&)> report_unwritten = {};
    /// Interval for removing idle sessions.
    resilience::Duration sweep_every = std::chrono::minutes{1};
    /// Called with the number of idle circuits that were removed. May be empty.
    std::function<void(std::size_t)> on_circuits_swept = {};
    /// The headers of agents' requests that downstreams may receive, in lower case.
    std::vector<std::string> agent_headers = {};
    /// The loops on which requests of agents arrive; empty = the home loop alone.
    std::vector<net::OwningLoop> loops = {};
    /// Called for events of the downstreams' connections and lists, from any loop. May be empty.
    std::function<void(const record::Event&)> on_connection = {};
    /// Called for every change of a downstream's status and for every list that was read, on the
    /// home loop of the downstream. May be empty.
    std::function<void(const std::string& server, const downstream::DownstreamStatus&)> on_status =
        {};
    std::function<void(const std::string& server, const downstream::Listing&)> on_list = {};
    /// Called when an agent was disconnected because it did not read its answers, from any loop.
    /// May be empty.
    std::function<void(const std::string& principal, const std::string& reason)> on_agent_given_up =
        {};
    /// Records ended calls and events of downstreams. May be null.
    std::shared_ptr<record::Recorder> recorder = {};
    resilience::Duration own_limit = std::chrono::seconds{10};  ///< For the work of built-in tools.
    surface::SurfaceOptions surface = {};
    /// Finds tools for agents; null = tools are listed from the catalogue.
    std::shared_ptr<surface::ToolFinder> finder = {};
};

/// The changes of a config reload.
struct GatewayChange {
    /// In the order of the config. Servers that stay keep their downstream.
    std::vector<surface::Server> servers = {};
    std::vector<std::string> agent_headers = {};  ///< As in the options.
    std::vector<std::string> secrets = {};        ///< Earlier secrets stay hidden, too.
};

/// Messages of servers that were for no identifiable agent, and were therefore not delivered.
struct UnassignedMessages {
    std::uint64_t logs = 0;
    std::uint64_t questions = 0;
};

/// The state that all agents share: the downstreams and their lists, the sessions, and the parked
/// calls. The fronts pass the agents' messages to a `RequestDispatcher`, which uses this object.
///
/// Thread-safety: from any loop, unless stated otherwise.
class Gateway final : public downstream::DownstreamWatcher,
                      public std::enable_shared_from_this<Gateway> {
public:
    /// `home` is the loop of the catalogue. `make_secret` returns at least 128 random bits in
    /// printable characters, from any thread. `listing_cache` may be null.
    Gateway(net::OwningLoop home, GatewayOptions options, std::function<std::string()> make_secret,
            std::shared_ptr<ListingCache> listing_cache);
    ~Gateway() override;

    /// Adds built-in tools and resources after those added before. Must be called before `adopt`.
    void offer(std::vector<surface::BuiltinTool> tools,
               std::vector<surface::BuiltinResource> resources = {});
    /// Sets the downstreams in the order of the config; this object is their watcher. Shows what is
    /// known of them from earlier runs, and starts them. Call once, before the loops run.
    void adopt(std::vector<surface::Server> servers);
    /// Starts the downstreams unless they have been started.
    void start_downstreams();
    /// Replaces all servers at once. New ones are started if the others have been; removed ones are
    /// stopped, and their calls fail with that reason. Agents are notified of changed lists. Must
    /// be called on the home loop, after `adopt`.
    void change(GatewayChange change);

    /// Rejects new calls from now on; calls in flight continue. Cannot be undone.
    void refuse_new_calls() noexcept { is_draining_ = true; }
    [[nodiscard]] bool is_draining() const noexcept { return is_draining_; }

    /// Rejects new calls; waits for a limited time until calls in flight have ended and agents have
    /// got the answers; then ends all downstreams, so that the remaining calls fail, and the
    /// agents' sessions; and waits briefly for what agents were sent last. Must be called on the
    /// home loop.
    [[nodiscard]] boost::asio::awaitable<void> stop();

    [[nodiscard]] const GatewayOptions& options() const noexcept { return options_; }
    [[nodiscard]] std::shared_ptr<const std::vector<surface::Server>> servers() const;
    /// Returns the loop's own copy of the state. Must be called on that loop, which must be one on
    /// which requests arrive.
    [[nodiscard]] LoopState& on(const net::OwningLoop& loop) const;
    [[nodiscard]] const std::shared_ptr<const calls::CallEnvironment>& calls() const noexcept {
        return calls_;
    }
    /// Ends the sessions and subscription streams of principals that have lost their access.
    void end_agents(const std::function<bool(const std::string& principal)>& is_removed);
    [[nodiscard]] agents::SessionRegistry& sessions() noexcept { return sessions_; }
    [[nodiscard]] surface::StartupBarrier& startup_barrier() noexcept { return startup_barrier_; }
    [[nodiscard]] const surface::StartupBarrier& startup_barrier() const noexcept {
        return startup_barrier_;
    }

    [[nodiscard]] std::shared_ptr<const surface::Surface> surface() const;
    /// Returns a snapshot whose pages are still being read; null if it is too old.
    [[nodiscard]] std::shared_ptr<const surface::Surface> surface_of(
        std::uint64_t generation) const;
    /// Finds tools for agents.
    [[nodiscard]] surface::Router& router() const noexcept { return *router_; }
    [[nodiscard]] surface::ToolInventory tool_inventory() const;
    [[nodiscard]] UnassignedMessages unassigned_messages() const noexcept {
        return {.logs = unassigned_.logs.load(std::memory_order_relaxed),
                .questions = unassigned_.questions.load(std::memory_order_relaxed)};
    }
    /// Returns what agents should know when not all tools are listed; empty if all are.
    [[nodiscard]] std::string words_about_search() const;
    /// Notifies an agent that the list for its queries has changed.
    void tell_routed(const agents::Agent& agent,
                     const std::shared_ptr<agents::AgentSession>& session) const;
    /// Returns what the model should know about this endpoint: the search, the servers that are
    /// still starting, and the instructions of the downstreams.
    [[nodiscard]] std::string instructions() const;

    /// Returns false if there are too many.
    [[nodiscard]] bool try_add(const std::shared_ptr<Listen>& listen);
    void remove(const Listen& listen);

    /// Passes an agent's subscriptions to the downstreams.
    void on_subscriptions(const std::string& agent_key, const std::vector<std::string>& uris) const;
    void on_log_level(const std::string& agent_key, std::string_view level) const;
    void on_roots_changed(const std::string& agent_key) const;
    /// Returns null if there are too many sessions.
    [[nodiscard]] std::shared_ptr<agents::AgentSession> open_session(const std::string& principal,
                                                                     resilience::TimePoint now);
    void end_session(const std::shared_ptr<agents::AgentSession>& session);
    /// An agent on a channel reads too slowly to get this notification.
    void count_dropped_notification() noexcept {
        dropped_notifications_.fetch_add(1, std::memory_order_relaxed);
    }
    [[nodiscard]] std::uint64_t dropped_notifications() const noexcept {
        return dropped_notifications_.load(std::memory_order_relaxed);
    }
    /// An agent on a channel is being disconnected, because it does not read its answers.
    void tell_agent_given_up(const std::string& principal, const std::string& reason) const;

    void on_state(const std::string& server, const downstream::DownstreamStatus& status) override;
    void on_listed(const std::string& server, downstream::Listing listing) override;
    void on_list_problem(const std::string& server,
                         const downstream::ListProblem& problem) override;
    void on_list_faults(const std::string& server, const downstream::ListFaults& list) override;
    void on_junk(const std::string& server, const downstream::JunkNotice& notice) override;
    void on_notification(const std::string& server, const std::string& agent_key,
                         downstream::Notification notification) override;
    void on_question(const std::string& server, const std::string& agent_key,
                     downstream::Question question) override;

private:
    class PeriodicTimer final : public resilience::Timer {
    public:
        PeriodicTimer(Gateway& gateway, void (Gateway::*work)()) : gateway_(gateway), work_(work) {}
        void on_time() override { (gateway_.*work_)(); }

    private:
        Gateway& gateway_;
        void (Gateway::* const work_)();
    };

    struct UnassignedCounters {
        std::atomic<std::uint64_t> logs{0};
        std::atomic<std::uint64_t> questions{0};
    };

    struct Shown {
        std::shared_ptr<const surface::Surface> surface = {};
        std::deque<std::shared_ptr<const surface::Surface>> earlier = {};
    };

    void publish(surface::Publication publication);
    /// Sets the surface and header names that calls on any loop use from now on.
    void share(CallContext context);
    void tell_changed(const surface::ChangedLists& changed);
    void subscribe_for_listens(const std::string& agent_key) const;
    boost::asio::awaitable<void> drain(resilience::TimePoint limit);
    /// Until everything that agents were sent has been written. `outlets` are those of sessions
    /// that have ended.
    boost::asio::awaitable<void> wait_until_written(
        std::vector<std::shared_ptr<agents::Outlet>> outlets, resilience::TimePoint limit);
    boost::asio::awaitable<void> stop_downstreams();
    void begin_leaving(const surface::Server& server);
    void introduce_agents() const;
    void sweep();
    void tell_connection(record::Event event);
    void sweep_circuits(resilience::TimePoint now);
    void stop_settling();
    void on_settled(const std::string& server);
    void note_progress(const std::string& server, const downstream::DownstreamStatus& status);
    void on_resource_updated(const std::string& agent_key, const std::string& params);
    void on_log(const std::string& agent_key, const downstream::Notification& notification);
    [[nodiscard]] std::shared_ptr<agents::AgentSession> session_of(
        const std::string& agent_key) const;
    [[nodiscard]] std::vector<std::shared_ptr<Listen>> listens() const;

    const net::OwningLoop home_;
    const GatewayOptions options_;
    const std::shared_ptr<ListingCache> listing_cache_;
    const std::shared_ptr<const surface::SurfaceOptions> surface_options_;
    const std::shared_ptr<surface::Router> router_;
    std::vector<surface::BuiltinTool> own_tools_;  // until `adopt`
    std::vector<surface::BuiltinResource> own_resources_;
    std::shared_ptr<const calls::CallEnvironment> calls_;
    agents::SessionRegistry sessions_;
    surface::StartupBarrier startup_barrier_;
    std::atomic<bool> is_started_{false};
    std::atomic<bool> is_draining_{false};
    UnassignedCounters unassigned_;
    std::atomic<std::uint64_t> dropped_notifications_{0};
    PeriodicTimer settle_timer_{*this, &Gateway::stop_settling};
    PeriodicTimer sweep_timer_{*this, &Gateway::sweep};
    std::shared_ptr<surface::CataloguePublisher> publisher_;  // set once by adopt
    resilience::Synchronized<std::shared_ptr<const std::vector<surface::Server>>> servers_;
    net::LoopSnapshot<CallContext> context_;         // replaced on the home loop
    std::vector<std::unique_ptr<LoopState>> loops_;  // constant after construction
    std::vector<surface::Server> leaving_;           // not ended yet; owned by the home loop
    resilience::Synchronized<Shown> shown_;
    resilience::Synchronized<std::vector<std::shared_ptr<Listen>>> listens_;
    resilience::Synchronized<std::unordered_map<std::string, std::string>> instructions_;
};

}  // namespace holdfast::dispatch
