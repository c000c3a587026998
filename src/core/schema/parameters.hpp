#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "schema/schema.hpp"

namespace holdfast::schema {

/// A property of an object schema, for an agent to read.
struct Parameter {
    std::string name = {};
    std::string type = {};  ///< In words: `string`, `array of integer`, `"fast" | "exact"`.
    bool is_required = false;
    std::string description = {};  ///< Cut; empty when the schema has none.
};

/// The properties that an object schema describes, in its order. Looks through references and
/// `allOf`.
[[nodiscard]] std::vector<Parameter> parameters_of(const Schema& schema,
                                                   std::size_t max_count = 100);

/// The same on one line: `query (string, required), limit (integer), mode ("fast" | "exact")`.
/// Says "none" when there are no properties; when the text would be longer than `max_bytes`, says
/// how many were left out.
[[nodiscard]] std::string describe_parameters(const Schema& schema, std::size_t max_bytes = 2000);

}  // namespace holdfast::schema
