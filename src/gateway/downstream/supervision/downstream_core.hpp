#pragma once

#include <atomic>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "downstream/downstream.hpp"
#include "downstream/downstream_watcher.hpp"
#include "downstream/starting/link_start.hpp"
#include "downstream/supervision/agent_links.hpp"
#include "downstream/supervision/agent_preferences.hpp"
#include "downstream/supervision/era_memory.hpp"
#include "downstream/supervision/link_closing.hpp"
#include "downstream/supervision/link_waiter.hpp"
#include "downstream/supervision/list_keeper.hpp"
#include "downstream/supervision/reconnect_machine.hpp"
#include "net/loop_snapshot.hpp"

namespace holdfast::downstream {

/// A snapshot of a downstream for any loop. Immutable once published.
struct DownstreamView {
    DownstreamStatus status = {};
    std::weak_ptr<Link> link = {};  ///< Expired unless ready; its owner is the home loop.
    bool shares_link = true;        ///< As the last link declared.
    /// When legacy agents use a legacy leg: never, at once, or after a failure to open it.
    resilience::TimePoint legacy_leg_from = resilience::TimePoint::max();
    bool was_unauthorized = false;  ///< Whether the last attempt was.
    bool is_down = false;           ///< Lost or refused, and not connected since.
    std::optional<LinkProcess> process = std::nullopt;
    std::vector<std::string> log_lines = {};  ///< Without a process: the output of the last one.
};

/// The implementation of a downstream: follows the reconnect machine, and connects the shared link,
/// its lists, the agents' links and their preferences.
///
/// Thread-safety: as `Downstream`; `link_at_once` on the loop that is named, `fault_of_wait` from
/// any thread.
class DownstreamCore final : public Downstream,
                             public AgentLinksOwner,
                             public std::enable_shared_from_this<DownstreamCore> {
public:
    [[nodiscard]] static std::shared_ptr<DownstreamCore> make(
        net::OwningLoop home, std::shared_ptr<LinkOpener> opener, DownstreamOptions options,
        std::weak_ptr<DownstreamWatcher> watcher);

    void start() override;
    void on_available() override;
    bool pause() override;
    bool resume() override;
    bool restart() override;
    [[nodiscard]] boost::asio::awaitable<void> stop() override;
    [[nodiscard]] boost::asio::awaitable<CallResult> call(
        net::OwningLoop caller, Request request, std::shared_ptr<CallListener> listener) override;
    [[nodiscard]] std::weak_ptr<StartedCall> start_call(
        const net::OwningLoop& caller, const Request& request,
        const std::shared_ptr<CallObserver>& observer) override;
    /// Ends everything in the background without notifications.
    void abandon();

    /// Returns a link or a fault; nothing if the caller has to wait for a link.
    [[nodiscard]] std::optional<LinkOutcome> link_at_once(const net::OwningLoop& loop,
                                                          const AgentIdentity* agent,
                                                          ConnectionWait wait);
    /// Returns the fault of a call that got no link in time because the downstream is not
    /// connected. Returns nothing if the downstream is connected and the call waited for a link of
    /// its agent.
    [[nodiscard]] std::optional<CallFault> fault_of_wait(resilience::TimePoint now) const;
    /// Finishes the waiter once there is an outcome, or nothing left to wait for.
    void join(const std::shared_ptr<const AgentIdentity>& agent,
              const std::shared_ptr<LinkWaiter>& waiter);

    void notify(std::string_view method, std::string params, const std::string& agent_key) override;
    void set_subscriptions(const std::string& agent_key, std::vector<std::string> uris) override;
    void set_log_level(const std::string& agent_key, std::string_view level) override;
    void end_agent(const std::string& agent_key) override;

    [[nodiscard]] const net::OwningLoop& home() const noexcept { return home_; }
    [[nodiscard]] const std::string& name() const noexcept override { return options_.name; }
    [[nodiscard]] DownstreamStatus status() const override;
    [[nodiscard]] std::vector<std::string> last_log_lines(std::size_t count) const override;

    void on_link_notification(const LinkEvents& from, Notification notification) override;
    void on_link_question(const LinkEvents& from, Question question) override;
    void on_link_junk(const JunkNotice& notice) override;
    void on_link_lost(const LinkEvents& from, CallFault why) override;
    void on_agent_link_opened(const std::string& agent_key) override;
    void on_agent_link_closed(const std::string& agent_key) override;
    [[nodiscard]] LinkOutcome on_legacy_leg_failed(const CallFault& why) override;

private:
    static constexpr std::size_t kKeptLogLines = 100;
    /// Everything that can be relayed to some agent.
    static constexpr std::string_view kRelayedCapabilities =
        R"({"roots":{"listChanged":true},"sampling":{"tools":{}},)"
        R"("elicitation":{"form":{},"url":{}}})";

    /// The shared link and its helpers.
    struct Shared {
        std::shared_ptr<Link> link = {};  // shared with the calls on it; may be null
        std::shared_ptr<LinkEvents> ear = {};
        std::shared_ptr<LinkPreferences> tuner = {};
        std::shared_ptr<ListKeeper> lists = {};
        std::vector<ListProblem> list_problems = {};  // at most one per list
    };
    struct Waiting {
        std::shared_ptr<const AgentIdentity> agent = {};
        std::weak_ptr<LinkWaiter> waiter = {};
    };

    DownstreamCore(net::OwningLoop home, std::shared_ptr<LinkOpener> opener,
                   DownstreamOptions options, std::weak_ptr<DownstreamWatcher> watcher);

    /// Runs a request with the link that was found; `found` is empty if it has to wait for one.
    [[nodiscard]] boost::asio::awaitable<CallResult> call_on(
        std::optional<LinkOutcome> found, net::OwningLoop caller, Request request,
        std::shared_ptr<CallListener> listener);
    void run();
    void run_or_wake();
    [[nodiscard]] static boost::asio::awaitable<void> stop_politely(
        std::shared_ptr<DownstreamCore> self);
    static boost::asio::awaitable<void> keep_connected(std::shared_ptr<DownstreamCore> self);
    static boost::asio::awaitable<void> connect_once(std::shared_ptr<DownstreamCore> self);
    void on_connected(const std::shared_ptr<Link>& link, const std::shared_ptr<LinkEvents>& ear);
    void on_refused(const CallFault& why);
    void on_shared_lost(const CallFault& why);
    [[nodiscard]] std::vector<std::shared_ptr<Link>> end_everything();
    [[nodiscard]] std::vector<std::shared_ptr<Link>> take_links(const CallFault& why);
    void cancel_start();
    void drop_links(const CallFault& why);
    /// Sets why there is no link. `log`: what the program wrote before it ended.
    void set_reason(std::string reason, const std::vector<std::string>& log = {});
    [[nodiscard]] std::vector<std::string> log_lines_now() const;

    /// Publishes a new snapshot and notifies the watcher of the state.
    void publish();
    void publish_view();
    void on_list_failed(ListKind kind, const CallFault& why);
    void on_list_read(const Listing& listing);
    void note_list_faults(ListKind kind, const EntryFaults& faults);
    void tell_list_problem(const ListProblem& problem);
    [[nodiscard]] std::shared_ptr<const DownstreamView> view() const;
    [[nodiscard]] std::optional<resilience::TimePoint> starting_since() const;
    [[nodiscard]] ListReader list_reader();
    void queue(const std::shared_ptr<const AgentIdentity>& agent,
               const std::shared_ptr<LinkWaiter>& waiter);
    void answer_waiting();
    void tune_shared();
    void tune_agent(const std::string& agent_key);
    void tell(const std::string& agent_key, Notification notification);
    [[nodiscard]] std::optional<mcp::Era> known_era(resilience::TimePoint now) const {
        return options_.required_era ? options_.required_era : era_.known(now);
    }
    [[nodiscard]] bool has_own_link(const std::string& agent_key) const;
    /// Which link of its own an agent uses.
    struct OwnLink {
        std::string_view key = {};
        bool is_legacy_leg = false;
    };
    /// Nothing: the agent uses the shared link.
    [[nodiscard]] std::optional<OwnLink> own_link_of(const AgentIdentity* agent,
                                                     const DownstreamView& seen,
                                                     const net::OwningLoop& loop) const;
    void join_own(const AgentIdentity& agent, const std::shared_ptr<LinkWaiter>& waiter);
    void tune_legacy_leg();

    const net::OwningLoop home_;
    const DownstreamOptions options_;
    const std::shared_ptr<LinkOpener> opener_;  // shared with the agents' links
    const std::shared_ptr<AgentLinks> agents_;  // shared with the coroutines that open them
    std::weak_ptr<DownstreamWatcher> watcher_;

    std::atomic<std::uint64_t> calls_{0};
    net::LoopSnapshot<DownstreamView> published_;

    // Owned by the home loop.
    ReconnectMachine machine_;
    EraMemory era_;
    AgentPreferences preferences_;
    Shared shared_;
    std::vector<ListFaults> list_faults_;  // at most one per list; outlives a link
    bool shares_link_ = true;
    resilience::TimePoint legacy_leg_from_ = resilience::TimePoint::max();
    bool was_unauthorized_ = false;
    std::string reason_;
    std::string log_excerpt_;  // belongs to the reason
    resilience::TimePoint started_at_ = {};
    std::optional<std::vector<std::string>> lost_log_lines_;  // of a link that was ready
    std::vector<Waiting> waiting_;
    resilience::OneShot wake_;
    boost::asio::cancellation_signal cancel_;
    bool is_running_ = false;           // keep_connected
    std::shared_ptr<LinkStart> start_;  // the running attempt; shared with its coroutines
    std::shared_ptr<Countdown> stopping_;
};

}  // namespace holdfast::downstream
