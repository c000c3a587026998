#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "schema/parameters.hpp"
#include "schema/schema.hpp"
#include "schema/violation.hpp"

namespace holdfast::schema {

/// Why a call does not fit, and what would.
struct ArgumentReport {
    std::vector<Violation> violations = {};  ///< At least one.
    bool truncated = false;                  ///< There are more of them.
    /// Arguments that fit, as JSON, made from those that were sent. Empty if none were found.
    std::string example = {};
};

/// What the arguments of a tool must be: its input schema, compiled once. A schema that does not
/// compile checks nothing and says why; so does one too complex for a certain value.
///
/// Thread-safety: immutable; const operations may run at the same time.
class ToolSchema final {
public:
    /// `input_schema` is the JSON of the tool's definition; it need not outlive the constructor.
    explicit ToolSchema(std::string_view input_schema, const CompileLimits& limits = {});

    /// Why calls are not checked; empty when they are.
    [[nodiscard]] const std::string& problem() const noexcept { return problem_; }

    /// What is wrong with the arguments, as JSON; nothing when they fit or cannot be checked. Null
    /// for a parameter that is not required counts as left out.
    /// Requires valid JSON. Members that usually hold secrets are never quoted; `show_values` is
    /// for the others.
    [[nodiscard]] std::optional<ArgumentReport> check(std::string_view arguments,
                                                      bool show_values = true) const;

    /// Whether the arguments, as JSON, are invalid once all members that are null are left out.
    /// False when they cannot be checked.
    [[nodiscard]] bool refuses_without_nulls(std::string_view arguments) const;

    /// Empty when the schema did not compile.
    [[nodiscard]] std::vector<Parameter> parameters() const;
    /// As `describe_parameters`; empty when the schema did not compile.
    [[nodiscard]] std::string parameter_summary() const;

private:
    std::optional<Schema> schema_;
    std::string problem_;
};

}  // namespace holdfast::schema
