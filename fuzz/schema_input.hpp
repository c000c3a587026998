#pragma once

#include <cstddef>
#include <cstdlib>
#include <string_view>

#include <boost/json.hpp>

#include "schema/example.hpp"
#include "schema/parameters.hpp"
#include "schema/schema.hpp"

namespace holdfast::fuzz {

/// Runs the whole schema module on one input: the first line is a schema, the rest a value. Aborts
/// if two results contradict each other.
inline void run_schema_input(std::string_view input) {
    const std::size_t end = input.find('\n');
    if (end == std::string_view::npos) {
        return;
    }
    boost::json::error_code failure;
    const boost::json::value schema_json = boost::json::parse(input.substr(0, end), failure);
    if (failure) {
        return;
    }
    const boost::json::value value = boost::json::parse(input.substr(end + 1), failure);
    if (failure) {
        return;
    }
    const auto schema = schema::compile(schema_json);
    if (!schema) {
        if (schema.error().message.empty() || schema.error().location.empty()) {
            std::abort();
        }
        return;
    }
    schema::ValidateLimits limits;
    limits.max_steps = 20'000;
    const schema::Report report = schema->validate(value, limits);
    if (report.violations.empty() != (report.verdict != schema::Verdict::invalid) ||
        report.violations.size() > limits.max_violations) {
        std::abort();
    }
    if (describe_parameters(*schema, 500).size() > 600) {
        std::abort();
    }
    const schema::Example example = corrected_example(*schema, value);
    if (example.is_valid != schema->validate(example.value).is_valid()) {
        std::abort();
    }
}

}  // namespace holdfast::fuzz
