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

/// Why arguments are invalid, and an example of valid ones.
struct ArgumentReport {
    std::vector<Violation> violations = {};  ///< At least one.
    bool truncated = false;                  ///< There are more violations.
    /// Valid arguments as JSON, derived from the sent ones. Empty if none were found.
    std::string example = {};
};

/// The input schema of a tool, compiled once. A schema that does not compile accepts all arguments
/// and `problem` says why. Arguments that are too complex to check are accepted.
///
/// Thread-safety: immutable; const operations may run at the same time.
class ToolSchema final {
public:
    /// `input_schema` is the JSON of the tool's definition; it need not outlive the constructor.
    explicit ToolSchema(std::string_view input_schema, const CompileLimits& limits = {});

    /// Why arguments are not checked; empty if they are.
    [[nodiscard]] const std::string& problem() const noexcept { return problem_; }

    /// Returns what is wrong with the arguments (JSON), or nothing if they are valid or cannot be
    /// checked. Null for an optional parameter counts as absent. Requires valid JSON. Values of
    /// members that usually hold secrets are never quoted; `show_values` decides about the others.
    [[nodiscard]] std::optional<ArgumentReport> check(std::string_view arguments,
                                                      bool show_values = true) const;

    /// Returns whether the arguments (JSON) are invalid after removing all members that are null.
    /// False if they cannot be checked.
    [[nodiscard]] bool refuses_without_nulls(std::string_view arguments) const;

    /// Empty if the schema did not compile.
    [[nodiscard]] std::vector<Parameter> parameters() const;
    /// As `describe_parameters`; empty if the schema did not compile.
    [[nodiscard]] std::string parameter_summary() const;

private:
    std::optional<Schema> schema_;
    std::string problem_;
};

}  // namespace holdfast::schema
