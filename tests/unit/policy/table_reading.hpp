#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "policy/classify.hpp"
#include "policy/read_policy_table.hpp"
#include "policy/text_template.hpp"
#include "tests/unit/config/config_reading.hpp"

namespace holdfast::policy {

/// For the placeholders of a text.
using Values = std::vector<TemplateValue>;

inline Classified classified(const Ending& ending, const Policy& policy) {
    return Classifier{policy}.classified(ending);
}

/// Empty for a good result.
inline std::string_view class_name(const Classified& classified) {
    return classified.error_class != nullptr ? std::string_view{classified.error_class->name} : "";
}

inline PolicyTableOutcome outcome_of(std::string_view text, const config::Variables& variables = {},
                                     std::span<const Preset> available = presets()) {
    const config::Config config = config::config_of(text, variables);
    return read_policy_table(config, config::environment_of(variables), available);
}

/// Returns the faults in the policies of a valid config and in the presets of skipped servers.
inline std::vector<std::string> table_faults_of(std::string_view text,
                                                const config::Variables& variables = {},
                                                std::span<const Preset> available = presets()) {
    const PolicyTableOutcome outcome = outcome_of(text, variables, available);
    if (!outcome.table) {
        return config::texts_of(outcome.table.error());
    }
    std::vector<std::string> texts;
    for (const config::SkippedServer& server : outcome.skipped) {
        std::ranges::copy(config::texts_of(server.faults), std::back_inserter(texts));
    }
    return texts;
}

/// Reads the table of a valid text.
inline PolicyTable table_of(std::string_view text, const config::Variables& variables = {},
                            std::span<const Preset> available = presets()) {
    PolicyTableOutcome outcome = outcome_of(text, variables, available);
    if (!outcome.table) {
        ADD_FAILURE() << outcome.table.error().front().text();
        return *outcome_of(R"({"mcpServers": {}})").table;
    }
    return *outcome.table;
}

/// Makes a table with one server, `s`, that uses a preset.
inline PolicyTable table_with_preset(std::string_view preset,
                                     const config::Variables& variables = {}) {
    return table_of(R"({"mcpServers": {"s": {"url": "http://h/mcp", "preset": ")" +
                        std::string{preset} + R"("}}})",
                    variables);
}

/// Makes a table with one server, `s`, in a gateway with the preset `ucp`.
inline PolicyTable ucp_table() {
    return table_of(R"({"mcpServers": {"s": {"url": "http://h/mcp"}}, "preset": "ucp"})");
}

inline std::string source_of(const PolicyTable& table, std::string_view key,
                             std::string_view tool = "t", std::string_view server = "s") {
    const auto values = table.explain(server, tool);
    const auto found = std::ranges::find(values, key, &ExplainedValue::key);
    return found == values.end() ? "not explained" : found->value + " by " + found->source;
}

}  // namespace holdfast::policy
