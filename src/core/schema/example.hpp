#pragma once

#include <boost/json/value.hpp>

#include "schema/schema.hpp"

namespace holdfast::schema {

/// A value made from what was sent.
struct Example {
    boost::json::value value;
    bool is_valid = false;  ///< Whether it fits the schema; what a pattern wants cannot be guessed.
};

/// The value that the sender probably meant: keeps what fits, mends what is obvious (`"5"` where an
/// integer belongs, a mistyped name, one value where a list belongs), removes what is refused and
/// fills in what is required with samples. The work is bounded; past the bound samples are used.
[[nodiscard]] Example corrected_example(const Schema& schema, const boost::json::value& sent);

}  // namespace holdfast::schema
