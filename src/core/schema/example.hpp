#pragma once

#include <boost/json/value.hpp>

#include "schema/schema.hpp"

namespace holdfast::schema {

/// A corrected value.
struct Example {
    boost::json::value value;
    bool is_valid = false;  ///< Whether it is valid: a text for a pattern cannot be derived.
};

/// Returns the value that the sender probably meant. Keeps valid parts, repairs obvious mistakes
/// (`"5"` for an integer, a mistyped name, one value instead of a list), removes rejected parts and
/// adds samples for required ones. The work is limited; beyond the limit it uses samples.
[[nodiscard]] Example corrected_example(const Schema& schema, const boost::json::value& sent);

}  // namespace holdfast::schema
