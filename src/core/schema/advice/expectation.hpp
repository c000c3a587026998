#pragma once

#include <string>

#include "schema/evaluate/violation_list.hpp"

namespace holdfast::schema {

/// Returns the keyword that failed; for a `false` schema, the keyword that contains it.
[[nodiscard]] std::string_view failed_keyword(const Program& program, const Failure& failure);

/// Describes what the schema expects.
[[nodiscard]] std::string expectation(const Program& program, const Failure& failure);

/// Describes what the value has instead.
[[nodiscard]] std::string finding(const Program& program, const Failure& failure, bool show_values);

/// Describes how to repair the value; empty if the expectation says it all.
[[nodiscard]] std::string advice(const Program& program, const Failure& failure);

}  // namespace holdfast::schema
