#pragma once

#include <optional>

#include <boost/json/value.hpp>

#include "schema/compile/program.hpp"
#include "schema/schema.hpp"

namespace holdfast::schema {

/// Fills an empty program from a schema. The program must not be used after an error.
[[nodiscard]] std::optional<CompileError> compile_into(Program& program,
                                                       const boost::json::value& schema,
                                                       const CompileOptions& options);

}  // namespace holdfast::schema
