#pragma once

#include <memory>
#include <optional>
#include <string>

#include "downstream/answer.hpp"
#include "guard/call_rules.hpp"
#include "holdfast/resilience/pipeline.hpp"

namespace holdfast::calls {

/// The result of one pass through the safeguards.
struct PipelineOutcome {
    resilience::CallVerdict verdict = {};
    /// Of the last attempt; nothing if none was made.
    std::optional<downstream::CallResult> result = std::nullopt;
    /// Of the last attempt that failed; null if none did. Belongs to the rules of the call.
    const policy::ErrorClass* error_class = nullptr;

    [[nodiscard]] const downstream::Answer* answer() const noexcept {
        return result && *result ? &result->value() : nullptr;
    }
    [[nodiscard]] const downstream::CallFault* fault() const noexcept {
        return result && !*result ? &result->error() : nullptr;
    }
    [[nodiscard]] bool is_of(policy::ErrorClassId id) const noexcept {
        return error_class != nullptr && error_class->id == id;
    }
    [[nodiscard]] bool asks_for_input() const noexcept {
        return answer() != nullptr && !answer()->is_error() &&
               answer()->result_type == downstream::ResultType::input_required;
    }
    [[nodiscard]] bool is_refused_by_circuit() const noexcept {
        using resilience::RefusalReason;
        return verdict.refusal && (verdict.refusal->reason == RefusalReason::circuit_open ||
                                   verdict.refusal->reason == RefusalReason::circuit_probing ||
                                   verdict.refusal->reason == RefusalReason::circuit_forced_open);
    }
};

/// The outcome of a read as the calls receive it that share it.
struct SharedOutcome {
    PipelineOutcome outcome = {};
    std::string substitute = {};  ///< The tool that answered instead of the requested one.
    std::shared_ptr<const guard::CallRules> rules = {};  ///< The outcome points into them.
};

}  // namespace holdfast::calls
