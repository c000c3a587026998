#pragma once

#include <gtest/gtest.h>

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "config/read_config.hpp"

namespace holdfast::config {

using Variables = std::map<std::string, std::string, std::less<>>;

inline Environment environment_of(Variables variables) {
    return [variables = std::move(variables)](std::string_view name) -> std::optional<std::string> {
        const auto found = variables.find(name);
        return found == variables.end() ? std::nullopt : std::optional{found->second};
    };
}

inline std::vector<std::string> texts_of(const std::vector<ConfigFault>& faults) {
    std::vector<std::string> texts;
    texts.reserve(faults.size());
    for (const ConfigFault& fault : faults) {
        texts.push_back(fault.text());
    }
    return texts;
}

/// The faults of a config, or of the servers that it skips.
inline std::vector<ConfigFault> faults_in(const ConfigOutcome& outcome) {
    if (!outcome.config) {
        return outcome.config.error();
    }
    std::vector<ConfigFault> faults;
    for (const SkippedServer& server : outcome.config->skipped) {
        faults.insert(faults.end(), server.faults.begin(), server.faults.end());
    }
    return faults;
}

/// The faults of a text, those of skipped servers among them; none when all of it can be used.
inline std::vector<std::string> faults_of(std::string_view text, Variables variables = {}) {
    return texts_of(faults_in(read_config("mcp.json", text, environment_of(std::move(variables)))));
}

inline std::vector<std::string> warnings_of(std::string_view text, Variables variables = {}) {
    return texts_of(read_config("mcp.json", text, environment_of(std::move(variables))).warnings);
}

/// The config of a text that must be valid.
inline Config config_of(std::string_view text, Variables variables = {}) {
    auto outcome = read_config("mcp.json", text, environment_of(std::move(variables)));
    if (!outcome.config) {
        ADD_FAILURE() << outcome.config.error().front().text();
        return {};
    }
    return std::move(*outcome.config);
}

}  // namespace holdfast::config
