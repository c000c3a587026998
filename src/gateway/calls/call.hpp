#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "agents/agent_session.hpp"
#include "calls/agent_dialogue.hpp"
#include "calls/answer_text.hpp"
#include "calls/attempt.hpp"
#include "calls/call_environment.hpp"
#include "calls/call_plan.hpp"
#include "calls/call_trace.hpp"
#include "calls/pipeline_outcome.hpp"
#include "calls/read_sharing.hpp"
#include "calls/substitutes.hpp"
#include "downstream/started_call.hpp"
#include "guard/guarded_call.hpp"
#include "holdfast/resilience/timekeeper.hpp"
#include "net/loop.hpp"

namespace holdfast::calls {

/// Prefix of the `requestState` by which a modern agent continues a parked call.
inline constexpr std::string_view kParkedPrefix = "holdfast:";

/// One request of an agent on its way through the safeguards to a downstream, and its answer. A
/// call ends exactly once: with one answer, by its deadline at the latest, or because the agent
/// cancels it.
///
/// A call is a state machine. The common call goes from `Running` to `Done` by two events, the
/// start and the result of its only attempt, without a coroutine. Only a wait for a slot, for a
/// retry or for suggestions runs one.
///
///     Following ──leader gives up──┐
///         │ leader ends            ▼
///         │            Probing ─► Running ◄─► Waiting
///         │                        │  ▲
///         │        server asks the │  │ all answered
///         │                 agent  ▼  │
///         │                    AskingAgent ──modern agent──► Parked
///         │                        │   ▲                       │
///         ▼                        ▼   └──agent returns────────┘
///        Done ◄────────────────────┘
///
/// While the agent is asked, the deadline stands still and the longer limit for answers runs.
///
/// Thread-safety: `cancel` and `resume` from any loop; all else on the loop that it was started on.
class Call final : public agents::AgentCall,
                   public downstream::CallObserver,
                   public std::enable_shared_from_this<Call> {
public:
    /// Answers the request itself if the session cannot take one more.
    static void start(std::shared_ptr<const CallEnvironment> environment,
                      agents::AgentRequest&& origin, CallPlan&& plan);

    Call(std::shared_ptr<const CallEnvironment> environment, agents::AgentRequest&& origin,
         CallPlan&& plan);
    ~Call() override;

    void cancel() override;

    /// Continues a call that was taken from the parked ones; `answers` are result objects by the
    /// keys of the questions.
    void resume(agents::AgentRequest origin, Members answers);

private:
    /// Waits for the outcome of an identical read.
    struct Following {
        resilience::Deadline deadline = resilience::Deadline::never();
    };
    /// A ping checks whether the server has recovered before the call is sent.
    struct Probing {
        resilience::Deadline deadline = resilience::Deadline::never();
        std::uint32_t pings_left = 0;
        std::weak_ptr<Attempt> ping = {};  ///< Owned by its request.
    };
    /// An attempt is in flight.
    struct Running {
        resilience::Deadline deadline = resilience::Deadline::never();
    };
    /// A coroutine waits: for a slot, before a retry, or for suggestions.
    struct Waiting {
        resilience::Deadline deadline = resilience::Deadline::never();
        std::optional<downstream::CallResult> result = std::nullopt;  ///< Of the last attempt.
        /// Ends the coroutine.
        std::shared_ptr<boost::asio::cancellation_signal> cancellation =
            std::make_shared<boost::asio::cancellation_signal>();
    };
    /// The agent has questions to answer. A modern agent receives them after a short delay, in
    /// which more may arrive. The attempt at a legacy server stays in flight.
    struct AskingAgent {
        resilience::Duration remaining = {};  ///< Of the call's time.
    };
    /// The modern agent has received its questions as the result, and the call waits for its
    /// answers.
    struct Parked {
        resilience::Duration remaining = {};
        std::string token = {};  ///< What the agent sends back to continue.
        std::optional<PipelineOutcome> outcome = std::nullopt;  ///< If the call ends meanwhile.
    };
    struct Done {};

    class CallTimer final : public resilience::Timer {
    public:
        explicit CallTimer(Call& call) : call_(call) {}
        void on_time() override { call_.on_time(); }

    private:
        Call& call_;
    };

    // call.cpp: from the start to an outcome.
    void launch();
    void watch_port();
    [[nodiscard]] bool follows_identical_read();
    void on_shared_read();
    void begin(resilience::Deadline deadline);
    void probe(resilience::Deadline deadline, std::uint32_t pings);
    void start_ping(const resilience::StartAttempt& start, std::uint32_t pings_left);
    void on_ping_end(const downstream::CallResult& result);
    void enter_pipeline(resilience::Deadline deadline);
    void enter_guards(std::shared_ptr<const guard::CallRules> rules, resilience::Deadline deadline);
    void advance(const resilience::PipelineStep& step,
                 std::optional<downstream::CallResult> last_result);
    void start_attempt(const std::shared_ptr<Attempt>& attempt, const downstream::Request& request,
                       const resilience::StartAttempt& start);
    void wait(const resilience::PipelineStep& step,
              std::optional<downstream::CallResult> last_result);
    static boost::asio::awaitable<void> wait_for_guard(std::shared_ptr<Call> self,
                                                       resilience::PipelineStep step);
    static boost::asio::awaitable<void> wait_for_suggestions(std::shared_ptr<Call> self,
                                                             PipelineOutcome outcome);
    void spawn(boost::asio::awaitable<void> coroutine);
    void conclude(PipelineOutcome outcome);
    void on_time();
    void wait_at_most(resilience::Duration limit);
    [[nodiscard]] resilience::Deadline deadline() const;
    [[nodiscard]] resilience::TimePoint now() const { return loop_.timekeeper->now(); }

    void on_notification(downstream::Notification notification) override;
    void on_question(downstream::Question question) override;
    void on_result(downstream::CallResult result) override;

    // call_questions.cpp: what the agent is asked.
    [[nodiscard]] std::shared_ptr<AgentDialogue> dialogue();
    void stop_clock(resilience::Duration limit);
    void ask_for_input(const downstream::Answer& answer);
    void on_agent_answered();
    void ask_for_urls(const downstream::Answer& answer, const policy::ErrorClass* error_class);

    // call_parking.cpp: a modern agent gets the questions as the result, and comes back.
    void park();
    void take_answers(agents::AgentRequest origin, Members answers);

    // call_answer.cpp: from an outcome to the end.
    void answer(PipelineOutcome outcome);
    void answer_or_fail(const PipelineOutcome& outcome, std::string_view substitute);
    void fail(const PipelineOutcome& outcome);
    void fail_with(const downstream::CallFault& fault);
    void finish(AnswerText text, std::string_view outcome, std::string_view message = {});
    void finish_cancelled(std::string_view message);
    void end();
    [[nodiscard]] AnsweredRequest answered() const;
    [[nodiscard]] bool is_done() const noexcept { return std::holds_alternative<Done>(state_); }

    const net::OwningLoop loop_;  // that the call was started on; `origin_` may be of another one
    const std::shared_ptr<const CallEnvironment> environment_;
    agents::AgentRequest origin_;  // its port is null while the call is parked and after its end
    CallPlan plan_;
    CallTrace trace_;
    Substitutes substitutes_;
    std::optional<guard::GuardedCall> guarded_;
    Attempt attempt_{loop_, *this};
    std::unique_ptr<AgentDialogue> dialogue_;  // null until the server asks something
    ReadSharing::Ticket shared_read_;
    CallTimer timer_{*this};  // for the states without an attempt
    std::variant<Running, Following, Probing, Waiting, AskingAgent, Parked, Done> state_;
};

}  // namespace holdfast::calls
