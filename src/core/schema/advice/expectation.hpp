#pragma once

#include <string>

#include "schema/evaluate/violation_list.hpp"

namespace holdfast::schema {

/// The name of the keyword that failed; for a `false` schema, the keyword that holds it.
[[nodiscard]] std::string_view failed_keyword(const Program& program, const Failure& failure);

/// What would be right.
[[nodiscard]] std::string expectation(const Program& program, const Failure& failure);

/// What was there instead.
[[nodiscard]] std::string finding(const Program& program, const Failure& failure, bool show_values);

/// How to repair it; empty when nothing better than the expectation is known.
[[nodiscard]] std::string advice(const Program& program, const Failure& failure);

}  // namespace holdfast::schema
