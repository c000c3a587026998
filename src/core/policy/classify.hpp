#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "holdfast/resilience/outcome.hpp"
#include "holdfast/resilience/pipeline.hpp"
#include "holdfast/resilience/retry_sequence.hpp"
#include "policy/error_class.hpp"
#include "policy/policy.hpp"

namespace holdfast::policy {

/// What kind of answer ended an attempt.
enum class AnswerKind : std::uint8_t {
    result,
    error_result,  ///< A tool's result with `isError`.
    rpc_error,
    http_error,  ///< A status without a JSON-RPC body.
};

/// The end of an attempt, as far as it is needed to classify it. The text must outlive the look.
struct Ending {
    AnswerKind kind = AnswerKind::result;
    /// The class that the transport itself has found: there is no answer to look at.
    std::optional<ErrorClassId> fault = std::nullopt;
    /// Of the response, or one that the error itself states; 0 = none is known.
    int http_status = 0;
    std::optional<int> rpc_code = std::nullopt;
    std::string_view text = {};  ///< Of the error, or of the result that is one; decoded.
    resilience::Delivery delivery = resilience::Delivery::answered;
    std::optional<Duration> retry_after = std::nullopt;
    /// The server is known to be down, or paused: another attempt cannot help.
    bool is_final = false;
};

struct Classified {
    /// Null for a good result. Belongs to the classes of the policy.
    const ErrorClass* error_class = nullptr;
    /// On the circuit; nothing = it says nothing.
    std::optional<resilience::Outcome> outcome = resilience::Outcome::success;
    /// Nothing when the answer is passed on as one.
    std::optional<resilience::AttemptFailure> failure = std::nullopt;

    [[nodiscard]] resilience::AttemptEnd attempt_end() const {
        return {.outcome = outcome, .failure = failure};
    }
};

/// Classifies the ends of attempts as a policy says. The lists of class names in the policy are
/// resolved once, when it is made.
///
/// Thread-safety: immutable.
class Classifier final {
public:
    explicit Classifier(const Policy& policy);

    /// Returns the class of an ending: by what the transport found, then by the HTTP status, then
    /// by errnos and words in the text, then by the JSON-RPC code. Where the policy does not
    /// classify results, only words that a config gives are looked for, and only in errors. An
    /// error result that is not classified is a success, because the server is alive to give it. A
    /// result that was not sent for was made on this side and says nothing about the server.
    [[nodiscard]] Classified classified(const Ending& ending) const;

private:
    /// What the policy makes of a class.
    struct Treatment {
        std::optional<resilience::Outcome> outcome = std::nullopt;  ///< On the circuit.
        bool is_retried = false;
    };

    [[nodiscard]] const ErrorClass& class_of(const Ending& ending) const;

    std::shared_ptr<const ErrorClasses> classes_;  // shared with the policies of the server
    std::vector<Treatment> treatments_;            // one for each class, in the same order
    bool classifies_results_;
};

}  // namespace holdfast::policy
