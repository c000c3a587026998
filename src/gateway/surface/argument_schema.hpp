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

/// What one tool says about its arguments. Its schema is compiled by the first call that needs it:
/// of thousands of tools an agent calls a few, and lists must not wait for the rest.
///
/// Thread-safety: const operations may run at the same time on any number of threads.
class ArgumentSchema final {
public:
    /// `definition` is that of the tool, as its server lists it. It must outlive this. The rule is
    /// applied to arguments that fit the listed schema; an empty one is none.
    explicit ArgumentSchema(std::string_view definition, ArgumentRule rule = {})
        : definition_(definition), rule_(std::move(rule)) {}

    /// Compiles it the first time.
    [[nodiscard]] const schema::ToolSchema& schema() const;
    /// The rule's sentence, if the arguments break it.
    [[nodiscard]] std::optional<std::string_view> broken_rule(std::string_view arguments) const;
    /// Why the tool's calls are not checked, to the first who asks; empty otherwise.
    [[nodiscard]] std::string take_problem() const;
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

}  // namespace holdfast::surface
