#pragma once

#include <algorithm>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "config/read_config.hpp"
#include "holdfast/resilience/expect.hpp"

namespace holdfast::fuzz {

/// Any bytes are either refused with a reason or give a config, within the limits, and what a
/// variable holds is in no message.
inline void run_config_input(std::string_view bytes) {
    using namespace config;
    // Nobody can have written this into the text.
    const std::string value = "value-" + std::to_string(std::hash<std::string_view>{}(bytes));
    const Environment environment = [&value](std::string_view name) -> std::optional<std::string> {
        return name.starts_with("UNSET") ? std::nullopt : std::optional{value};
    };
    const ConfigLimits limits = {.interpolation = {.max_expanded_bytes = 65'536}};
    auto outcome = read_config("fuzz.json", bytes, environment, limits);
    std::vector<ConfigFault> messages = outcome.warnings;
    HOLDFAST_EXPECT(messages.size() <= limits.report.max_warnings);
    if (!outcome.config) {
        const auto& faults = outcome.config.error();
        HOLDFAST_EXPECT(!faults.empty());
        HOLDFAST_EXPECT(faults.size() <= limits.report.max_faults);
        HOLDFAST_EXPECT(std::ranges::is_sorted(faults, {}, &ConfigFault::place));
        messages.insert(messages.end(), faults.begin(), faults.end());
    }
    for (const ConfigFault& message : messages) {
        HOLDFAST_EXPECT(message.text().find(value) == std::string::npos);
        HOLDFAST_EXPECT(message.text().find('\n') == std::string::npos);
    }
}

}  // namespace holdfast::fuzz
