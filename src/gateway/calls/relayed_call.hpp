#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "agents/agent_session.hpp"
#include "calls/answer_text.hpp"
#include "calls/call_plan.hpp"
#include "calls/call_trace.hpp"
#include "calls/failure.hpp"
#include "calls/input_round.hpp"
#include "calls/pipeline_outcome.hpp"
#include "downstream/answer.hpp"
#include "downstream/call_listener.hpp"
#include "guard/guarded_call.hpp"
#include "holdfast/resilience/asio/one_shot.hpp"
#include "holdfast/resilience/timekeeper.hpp"
#include "net/loop.hpp"

namespace holdfast::calls {

/// How the state begins that a modern agent brings back to a call of ours that is parked.
inline constexpr std::string_view kParkedPrefix = "holdfast:";

/// One request of an agent on its way to a downstream and back: through the safeguards of the
/// server, in one attempt or several. It ends in exactly one answer, by its deadline at the latest,
/// unless the agent cancels it.
///
/// Questions on the way depend on the two eras. A legacy agent is asked by real requests while its
/// call stays open. A modern agent gets its questions as the result, and the call is parked until
/// the agent comes back with the answers. While an agent is being asked the deadline stands still
/// and the longer limit for answers runs.
///
/// Thread-safety: `cancel` and `resume` from any loop; all else on the loop that it was started on.
class RelayedCall final : public agents::AgentCall,
                          public downstream::CallListener,
                          public std::enable_shared_from_this<RelayedCall> {
public:
    static void start(std::shared_ptr<const CallEnvironment> environment,
                      agents::AgentRequest&& origin, CallPlan&& plan);

    RelayedCall(std::shared_ptr<const CallEnvironment> environment, agents::AgentRequest&& origin,
                CallPlan&& plan);
    ~RelayedCall() override;

    void cancel() override;

    /// Whether a parked call may go on by this request: of the same principal, for the same thing.
    [[nodiscard]] bool is_resumed_by(const agents::AgentRequest& origin,
                                     const CallPlan& plan) const;
    /// A parked call goes on; `answers` are result objects by the keys of the questions.
    void resume(agents::AgentRequest origin, Members answers);

    /// The call whose attempt this one shares has ended like this; null: it has to be sent itself.
    void on_shared_end(std::shared_ptr<const SharedEnd> end);

    void on_notification(downstream::Notification notification) override;
    void on_question(downstream::Question question) override;

private:
    /// What the timer means when it fires.
    enum class Waiting : std::uint8_t {
        for_downstream,
        for_cut_off,  ///< The attempt is out of time, and was told so.
        for_agent,
        for_more_questions,
    };

    class CallTimer final : public resilience::Timer {
    public:
        explicit CallTimer(RelayedCall& call) : call_(call) {}
        void on_time() override { call_.on_time(); }

    private:
        RelayedCall& call_;
    };

    struct OpenQuestion {
        KeyedQuestion asked;
        downstream::Question question;
    };

    static boost::asio::awaitable<void> run(std::shared_ptr<RelayedCall> self);
    boost::asio::awaitable<PipelineOutcome> run_round();
    boost::asio::awaitable<void> ping_before_call();
    boost::asio::awaitable<downstream::CallResult> attempt(resilience::StartAttempt start);
    boost::asio::awaitable<downstream::CallResult> sent();
    boost::asio::awaitable<std::optional<Members>> asked_of_agent(InputRequired input);

    void enter_guards(std::shared_ptr<const guard::CallRules> rules);
    [[nodiscard]] std::optional<downstream::Request> request_for_task(
        const downstream::CallResult& result) const;
    [[nodiscard]] downstream::CallFault cut_off_fault(const downstream::CallFault& fault) const;
    [[nodiscard]] bool turn_to_alternative(const PipelineOutcome& end);
    void launch();
    [[nodiscard]] bool follows_another();
    void stop_leading(const std::shared_ptr<const SharedEnd>& end);
    void spawn();
    void take_answers(agents::AgentRequest origin, Members answers);
    void on_time();
    void wait_until(Waiting what, resilience::TimePoint when);
    void wait_for(Waiting what, resilience::Duration limit);
    void pause();
    void go_on();
    void cut_off();

    void relay_progress(const downstream::Notification& notification);
    void relay_log(const downstream::Notification& notification);
    void ask_legacy_agent(downstream::Question question);
    void on_agent_answer(const std::shared_ptr<downstream::Question>& question,
                         downstream::QuestionAnswer answer);
    void park();
    void ask_for_urls(const downstream::Answer& answer);
    void withdraw_questions();

    void on_round_end(PipelineOutcome end);
    void on_answer(const downstream::Answer& answer, std::string_view substitute);
    void on_fault(const downstream::CallFault& fault);
    void fail(const PipelineOutcome& end);
    void answer_or_fail(const PipelineOutcome& end, std::string_view substitute);
    void remember(const PipelineOutcome& end);
    void finish(AnswerText text, std::string_view outcome, std::string_view message = {});
    void end();
    [[nodiscard]] AnsweredRequest answered() const;
    [[nodiscard]] std::string_view first_params() const {
        return std::string_view{plan_.request.params_members}.substr(0, first_params_bytes_);
    }
    [[nodiscard]] bool is_modern() const { return origin_.agent->era() == mcp::Era::modern; }

    const net::OwningLoop loop_;
    const std::shared_ptr<const CallEnvironment> environment_;
    const std::string call_id_;
    CallTrace trace_;
    agents::AgentRequest origin_;
    CallPlan plan_;
    // The params as the agent sent them; each round of questions puts its answers behind them.
    std::size_t first_params_bytes_;
    std::optional<guard::GuardedCall> guarded_;
    // The tool that the agent called, and the rules for it, while another stands in for it.
    const surface::Callable* requested_tool_ = nullptr;
    std::shared_ptr<const guard::CallRules> asked_rules_;
    std::size_t next_alternative_ = 0;
    boost::asio::cancellation_signal cancellation_;
    CallTimer timer_{*this};
    Waiting waiting_ = Waiting::for_downstream;
    resilience::TimePoint waited_until_ = {};
    resilience::Deadline call_deadline_ = resilience::Deadline::never();
    // Of the time for the attempt and for the call, while the agent is asked.
    resilience::Duration attempt_left_ = {};
    resilience::Duration call_left_ = {};
    bool is_paused_ = false;
    bool is_following_ = false;  // another call, whose end will be this one's
    bool is_cut_off_ = false;
    bool is_cancelled_ = false;
    bool is_over_ = false;
    const policy::ErrorClass* error_class_ = nullptr;  // of the last round; belongs to the rules
    bool runs_again_on_resume_ = false;
    std::uint32_t rounds_ = 0;
    std::optional<double> last_progress_;  // told under the token of the origin
    std::uint32_t last_key_ = 0;
    std::vector<OpenQuestion> open_questions_;  // of a legacy server to a modern agent
    std::vector<std::uint64_t> asked_;          // numbers of questions to a legacy agent
    std::size_t unanswered_ = 0;                // of those
    std::string state_;                         // of the parked call
    std::string flight_key_;  // what later reads know this one by; empty = none may wait for it
    std::optional<PipelineOutcome> kept_round_;  // came while nobody waited
};

}  // namespace holdfast::calls
