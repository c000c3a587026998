#pragma once

#include <string_view>

#include <gtest/gtest.h>

#include <boost/json.hpp>

#include "schema/schema.hpp"

namespace holdfast::schema {

/// Parses well-formed JSON.
inline boost::json::value json(std::string_view text) {
    boost::json::parse_options options;
    options.max_depth = 10'000;
    return boost::json::parse(text, {}, options);
}

/// Compiles a valid schema.
inline Schema schema_of(std::string_view text) {
    auto schema = compile(json(text));
    EXPECT_TRUE(schema) << (schema ? "" : schema.error().location + ": " + schema.error().message);
    return schema ? *schema : *compile(boost::json::value(true));
}

inline Verdict verdict(std::string_view schema, std::string_view value) {
    return schema_of(schema).validate(json(value)).verdict;
}

inline bool accepts(std::string_view schema, std::string_view value) {
    return verdict(schema, value) == Verdict::valid;
}

}  // namespace holdfast::schema
