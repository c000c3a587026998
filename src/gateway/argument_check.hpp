#pragma once

#include <atomic>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "gateway/call_plan.hpp"
#include "gateway/failure.hpp"
#include "gateway/incoming_request.hpp"
#include "schema/tool_schema.hpp"

namespace holdfast::gateway {

/// What one tool says about its arguments. Its schema is compiled by the first call that needs it:
/// of thousands of tools an agent calls a few, and lists must not wait for the rest.
///
/// Thread-safety: const operations may run at the same time on any number of threads.
class ArgumentCheck final {
public:
    /// `definition` is that of the tool, as its server lists it. It must outlive this. The rule is
    /// applied to arguments that fit the listed schema; an empty one is none.
    explicit ArgumentCheck(std::string_view definition, ArgumentRule rule = {})
        : definition_(definition), rule_(std::move(rule)) {}

    /// Compiles it the first time.
    [[nodiscard]] const schema::ToolSchema& schema() const;
    /// The rule's sentence, if the arguments break it.
    [[nodiscard]] std::optional<std::string_view> broken_rule(std::string_view arguments) const;
    /// Why the tool's calls are not checked, to the first who asks; empty otherwise.
    [[nodiscard]] std::string untold_problem() const;
    /// What the tool says of itself.
    [[nodiscard]] std::string description() const;

private:
    void compile() const;

    const std::string_view definition_;
    const ArgumentRule rule_;
    mutable std::once_flag once_;
    mutable std::optional<schema::ToolSchema> schema_;       // set once
    mutable std::optional<schema::ToolSchema> rule_schema_;  // set with it, if there is a rule
    mutable std::atomic<bool> is_told_{false};
};

/// The failure of a call whose arguments (JSON) the tool's schema refuses; nothing when they fit or
/// cannot be checked. What was sent is in it without the secrets.
[[nodiscard]] std::optional<Failure> argument_failure(const Callable& tool,
                                                      std::string_view arguments,
                                                      std::span<const std::string> secrets);

/// Answers a call whose arguments do not fit. True if it did: then the call is over.
[[nodiscard]] bool refuse_arguments(const IncomingRequest& request, const CallPlan& plan,
                                    const CallEnvironment& calls);

/// Answers a call that has failed so often in the same way that it is held back.
[[nodiscard]] bool refuse_repetition(const IncomingRequest& request, const CallPlan& plan,
                                     const CallEnvironment& calls);

}  // namespace holdfast::gateway
