#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "schema/schema.hpp"

namespace holdfast::schema {

/// A property of an object schema, described for an agent.
struct Parameter {
    std::string name = {};
    std::string type = {};  ///< For example `string`, `array of integer`, `"fast" | "exact"`.
    bool is_required = false;
    std::string description = {};  ///< Cut; empty if the schema has none.
};

/// Returns the properties that an object schema describes, in its order, including references and
/// `allOf`.
[[nodiscard]] std::vector<Parameter> parameters_of(const Schema& schema,
                                                   std::size_t max_count = 100);

/// Returns the same as one line: `query (string, required), limit (integer), mode ("fast" |
/// "exact")`. Returns "none" if there are no properties. A text that would exceed `max_bytes` ends
/// with the number of omitted properties.
[[nodiscard]] std::string describe_parameters(const Schema& schema, std::size_t max_bytes = 2000);

}  // namespace holdfast::schema
