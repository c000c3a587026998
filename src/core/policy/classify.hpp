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

/// The kind of answer that ended an attempt.
enum class AnswerKind : std::uint8_t {
    result,
    error_result,  ///< A tool's result with `isError`.
    rpc_error,
    http_error,  ///< A status without a JSON-RPC body.
};

/// The end of an attempt, as far as classification needs it. The text must outlive the
/// classification.
struct Ending {
    AnswerKind kind = AnswerKind::result;
    /// The class that the transport itself has found; there is no answer then.
    std::optional<ErrorClassId> fault = std::nullopt;
    /// Of the response, or one that the error text states; 0 = unknown.
    int http_status = 0;
    std::optional<int> rpc_code = std::nullopt;
    std::string_view text = {};  ///< Decoded text of the error or of the error result.
    resilience::Delivery delivery = resilience::Delivery::answered;
    std::optional<Duration> retry_after = std::nullopt;
    /// The server is known to be down or paused: another attempt cannot help.
    bool is_final = false;
};

struct Classified {
    /// Null for a success. Belongs to the classes of the policy.
    const ErrorClass* error_class = nullptr;
    /// For the circuit; nothing = does not count.
    std::optional<resilience::Outcome> outcome = resilience::Outcome::success;
    /// Nothing if the answer is passed on.
    std::optional<resilience::AttemptFailure> failure = std::nullopt;

    [[nodiscard]] resilience::AttemptEnd attempt_end() const {
        return {.outcome = outcome, .failure = failure};
    }
};

/// Classifies the ends of attempts by a policy. The constructor resolves the class names of the
/// policy.
///
/// Thread-safety: immutable.
class Classifier final {
public:
    explicit Classifier(const Policy& policy);

    /// Returns the class of an ending: by the transport's finding, then by the HTTP status, then by
    /// errnos and words in the text, then by the JSON-RPC code. If the policy does not classify
    /// results, only words from a config are searched, and only in errors. An error result that is
    /// not classified is a success, because a healthy server returned it. A result without a sent
    /// request was made by the gateway and says nothing about the server.
    [[nodiscard]] Classified classified(const Ending& ending) const;

private:
    /// How the policy treats a class.
    struct Treatment {
        std::optional<resilience::Outcome> outcome = std::nullopt;  ///< For the circuit.
        bool is_retried = false;
    };

    [[nodiscard]] const ErrorClass& class_of(const Ending& ending) const;

    std::shared_ptr<const ErrorClasses> classes_;  // shared with the policies of the server
    std::vector<Treatment> treatments_;            // one for each class, in the same order
    bool classifies_results_;
};

}  // namespace holdfast::policy
