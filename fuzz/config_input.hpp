#pragma once

#include <algorithm>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/secret.hpp"
#include "config/read_config.hpp"
#include "holdfast/resilience/expect.hpp"

namespace holdfast::fuzz {

/// Any bytes are either rejected with a reason or give a config within the limits. No message shows
/// the value of a variable with a secret's name; other values are shown only with their names.
inline void run_config_input(std::string_view bytes) {
    using namespace config;
    // The input cannot contain this text.
    const std::string number = std::to_string(std::hash<std::string_view>{}(bytes));
    const std::string value = "value-" + number;
    const std::string secret = "secret-" + number;
    const Environment environment = [&](std::string_view name) -> std::optional<std::string> {
        if (name.starts_with("UNSET")) {
            return std::nullopt;
        }
        return base::is_secret_name(name) ? secret : value;
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
    if (outcome.config) {
        for (const SkippedServer& server : outcome.config->skipped) {
            HOLDFAST_EXPECT(!server.faults.empty());
            HOLDFAST_EXPECT(std::ranges::all_of(server.faults, &ConfigFault::is_external));
            messages.insert(messages.end(), server.faults.begin(), server.faults.end());
        }
    }
    for (const ConfigFault& message : messages) {
        const std::string text = message.text();
        const std::size_t shown_at = text.find(value);
        HOLDFAST_EXPECT(text.find(secret) == std::string::npos);
        HOLDFAST_EXPECT(shown_at == std::string::npos ||
                        text.rfind("the variable ", shown_at) != std::string::npos);
        HOLDFAST_EXPECT(text.find('\n') == std::string::npos);
    }
}

}  // namespace holdfast::fuzz
