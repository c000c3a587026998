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

    // `self` is this object. It also keeps the call alive: while an agent is asked, the question
    // may be the only owner of the call.

    /// Sends a legacy server's question to a legacy agent. Returns false if the agent cannot be
    /// asked; the server has then received an error.
    [[nodiscard]] bool forward(const std::shared_ptr<AgentDialogue>& self,
                               const agents::AgentRequest& origin, downstream::Question question);
    /// Sends the questions in a modern server's result to a legacy agent. Calls `on_answered`
    /// later, also if the agent cannot be asked. Returns false if there is no question in the
    /// result, or after too many rounds.
    [[nodiscard]] bool begin_round(const std::shared_ptr<AgentDialogue>& self,
                                   const agents::AgentRequest& origin,
                                   const downstream::Answer& answer);
    /// Whether a round of questions from a modern server is open.
    [[nodiscard]] bool has_round() const noexcept { return round_ != nullptr; }
    /// Ends the round: adds the answers to the plan, or returns why the call cannot continue.
    [[nodiscard]] resilience::Result<void, downstream::CallFault> end_round(CallPlan& plan);
    /// Withdraws all open questions from a legacy agent.
    void withdraw(const agents::AgentRequest& origin);

    /// Stores a legacy server's question for a modern agent.
    void collect(downstream::Question question);
    /// Stores a question for each page that a server's error asks the user to visit. Returns false
    /// if the error names no page.
    [[nodiscard]] bool collect_urls(const downstream::Answer& error);
    /// The questions that the modern agent has not answered yet.
    [[nodiscard]] std::vector<KeyedQuestion> open_questions() const;
    /// Passes the answers of a modern agent to the server. Ignores unknown keys.
    void answer(Members answers);
    /// Drops all stored questions. A server that still waits receives an error for each.
    void drop_questions() { open_.clear(); }

private:
    struct OpenQuestion {
        KeyedQuestion asked;
        downstream::Question question;
    };
    /// The questions of a modern server, and the agent's answers so far.
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
    std::size_t unanswered_ = 0;        // of `asked_`
    std::unique_ptr<Round> round_;
    std::uint32_t rounds_ = 0;
    std::vector<OpenQuestion> open_;  // to a modern agent
    std::uint32_t last_key_ = 0;
};

/// Answers the question with a refusal, and returns true, if the agent did not declare that it can
/// handle such a question.
[[nodiscard]] bool refuse_if_unable(const agents::AgentRequest& origin,
                                    const downstream::Question& question);

}  // namespace holdfast::calls
