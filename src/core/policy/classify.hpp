#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "holdfast/resilience/outcome.hpp"
#include "holdfast/resilience/pipeline.hpp"
#include "holdfast/resilience/retry_sequence.hpp"
#include "policy/policy.hpp"

namespace holdfast::policy {

/// What ended an attempt.
enum class EndingKind : std::uint8_t {
    result,
    error_result,  ///< A tool's result with `isError`.
    rpc_error,
    http_error,  ///< A status without a JSON-RPC body.
    timed_out,
    connection_lost,
    connection_refused,
    not_connected,  ///< The downstream is known to be down; nothing was tried.
    malformed,
    too_large,
    overloaded,  ///< A limit on our side.
    cancelled,
    stopping,  ///< The downstream is being shut down by us.
};

/// The end of an attempt, as far as it is needed to classify it. The text must outlive the look.
struct Ending {
    EndingKind kind = EndingKind::result;
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
    /// Of the class; empty for a good result. Points into the policy's classes.
    std::string_view name = {};
    /// On the circuit; nothing = it says nothing.
    std::optional<resilience::Outcome> outcome = resilience::Outcome::success;
    /// Nothing when the answer is passed on as one.
    std::optional<resilience::AttemptFailure> failure = std::nullopt;

    [[nodiscard]] resilience::AttemptEnd attempt_end() const {
        return {.outcome = outcome, .failure = failure};
    }
};

/// Returns the class of an ending: by what the transport found, then by the HTTP status, then by
/// errnos and words in the text, then by the JSON-RPC code. Where the policy does not classify
/// results, only words that a config gives are looked for, and only in errors. An error result that
/// is not classified is a success, because the server is alive to give it. A result that was not
/// sent for was made on this side and says nothing about the server.
[[nodiscard]] Classified classified(const Ending& ending, const Policy& policy);

/// The code of the failure contract for a class.
[[nodiscard]] std::string_view failure_code(std::string_view class_name) noexcept;

}  // namespace holdfast::policy
