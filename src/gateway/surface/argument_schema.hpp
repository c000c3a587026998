#pragma once

#include <atomic>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "schema/tool_schema.hpp"
#include "surface/callable.hpp"

namespace holdfast::surface {

/// The schema of one tool's arguments. The first call compiles it: an agent calls only a few of
/// possibly thousands of tools, and listing them must not wait for the rest.
///
/// Thread-safety: const operations may run at the same time on any number of threads.
class ArgumentSchema final {
public:
    /// `definition` is the tool's definition as its server lists it, and must outlive this object.
    /// The rule applies to arguments that match the listed schema; an empty rule has no effect.
    explicit ArgumentSchema(std::string_view definition, ArgumentRule rule = {})
        : definition_(definition), rule_(std::move(rule)) {}

    /// Compiles the schema on first use.
    [[nodiscard]] const schema::ToolSchema& schema() const;
    /// Returns the rule's sentence if the arguments break the rule.
    [[nodiscard]] std::optional<std::string_view> broken_rule(std::string_view arguments) const;
    /// Returns why calls of the tool are not checked, to the first caller only; empty otherwise.
    [[nodiscard]] std::string take_problem() const;
    /// The tool's own description.
    [[nodiscard]] std::string description() const;

private:
    void compile() const;

    const std::string_view definition_;
    const ArgumentRule rule_;
    mutable std::once_flag once_;
    mutable std::optional<schema::ToolSchema> schema_;  // set once
    // set together with `schema_` if there is a rule
    mutable std::optional<schema::ToolSchema> rule_schema_;
    mutable std::atomic<bool> is_problem_taken_{false};
};

}  // namespace holdfast::surface
