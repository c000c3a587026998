#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "calls/call_plan.hpp"
#include "calls/input_round.hpp"
#include "downstream/answer.hpp"
#include "downstream/call_listener.hpp"
#include "holdfast/resilience/result.hpp"
#include "net/loop.hpp"

namespace holdfast::calls {

/// The questions that a server asks the agent during one call, in each combination of eras:
/// - A legacy agent is asked by requests over its session while its call stays open.
/// - The questions for a modern agent are collected. They become the result of the call, which is
///   parked until the agent returns with the answers.
/// - A legacy server asks by requests and waits for the answers. A modern server asks in its result
///   and is called again with the answers.
///
/// Thread-safety: none; belongs to the loop of the call.
class AgentDialogue final {
public:
    struct Options {
        std::function<std::string()> make_secret = {};  ///< For the ids of elicitations.
        std::uint32_t max_rounds = 10;
        /// Called on the loop when a legacy agent has answered everything.
        std::function<void()> on_answered = {};
    };

    AgentDialogue(net::OwningLoop loop, Options options)
        : loop_(std::move(loop)), options_(std::move(options)) {}

    // `self` is this object. It also keeps the call alive: while its agent is asked, the question
    // may be the only owner of a call.

    /// Sends a legacy server's question to a legacy agent. Returns whether the agent is asked; if
    /// not, the server has got an error.
    [[nodiscard]] bool forward(const std::shared_ptr<AgentDialogue>& self,
                               const agents::AgentRequest& origin, downstream::Question question);
    /// Asks a legacy agent what a modern server wants to know. `on_answered` follows, also if the
    /// agent cannot be asked. False if the server asks for nothing, or too often.
    [[nodiscard]] bool begin_round(const std::shared_ptr<AgentDialogue>& self,
                                   const agents::AgentRequest& origin,
                                   const downstream::Answer& answer);
    /// Whether the answers that came last belong to a round of a modern server.
    [[nodiscard]] bool has_round() const noexcept { return round_ != nullptr; }
    /// Ends the round: adds the answers to the plan, or returns why the server cannot continue.
    [[nodiscard]] resilience::Result<void, downstream::CallFault> end_round(CallPlan& plan);
    /// Tells a legacy agent that nobody waits for its answers any more.
    void withdraw(const agents::AgentRequest& origin);

    /// Keeps a legacy server's question for a modern agent.
    void collect(downstream::Question question);
    /// Asks a modern agent to visit the pages that a server's error demands. False if it names
    /// none.
    [[nodiscard]] bool collect_urls(const downstream::Answer& error);
    /// What the modern agent has not answered yet.
    [[nodiscard]] std::vector<KeyedQuestion> open_questions() const;
    /// The modern agent has returned with these answers.
    void answer(Members answers);
    /// The server does not wait for answers any more.
    void drop_questions() { open_.clear(); }

private:
    struct OpenQuestion {
        KeyedQuestion asked;
        downstream::Question question;
    };
    /// What a modern server wants to know, and what the agent has said so far.
    struct Round {
        InputRequired input;
        std::vector<std::optional<downstream::QuestionAnswer>> answers;
    };

    using Handler = std::function<void(downstream::QuestionAnswer)>;

    [[nodiscard]] bool ask(const std::shared_ptr<AgentDialogue>& self,
                           const agents::AgentRequest& origin, const KeyedQuestion& question,
                           Handler handler);
    void on_answer(const std::shared_ptr<AgentDialogue>& self, const Handler& handler,
                   downstream::QuestionAnswer answer);
    void report_answered(const std::shared_ptr<AgentDialogue>& self);

    const net::OwningLoop loop_;
    const Options options_;
    std::vector<std::uint64_t> asked_;  // numbers of questions to a legacy agent
    std::size_t unanswered_ = 0;        // of those
    std::unique_ptr<Round> round_;
    std::uint32_t rounds_ = 0;
    std::vector<OpenQuestion> open_;  // to a modern agent
    std::uint32_t last_key_ = 0;
};

/// Answers the question itself if the agent did not declare that it can be asked this.
[[nodiscard]] bool refuse_if_unable(const agents::AgentRequest& origin,
                                    const downstream::Question& question);

}  // namespace holdfast::calls
