#pragma once

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "rest/read_rest_api.hpp"
#include "tests/unit/config/config_reading.hpp"

namespace holdfast::rest {

using Files = std::map<std::string, std::string, std::less<>>;

inline FileReader reader_of(Files files) {
    return [files = std::move(files)](
               const std::string& path) -> resilience::Result<std::string, FileFault> {
        const auto found = files.find(path);
        if (found == files.end()) {
            return FileFault{"cannot be read"};
        }
        return found->second;
    };
}

/// Returns the outcome for the server `s` with these members in its entry.
inline RestOutcome outcome_of(std::string_view members, std::string_view preset = {},
                              const Files& files = {}, const config::Variables& variables = {}) {
    const config::Config config = config::config_of("{\"mcpServers\":{\"s\":{\"type\":\"rest\"" +
                                                        std::string{members.empty() ? "" : ",\n"} +
                                                        std::string{members} + "}}}",
                                                    variables);
    // A preset is read like a server's entry, including its variables.
    std::optional<config::Config> section;
    if (!preset.empty()) {
        section = config::config_of(
            "{\"mcpServers\":{\"p\":{\"type\":\"rest\",\n" + std::string{preset} + "}}}",
            variables);
        config::Node& entry = std::get<config::RestTarget>(section->servers[0].target).entry;
        entry.members.erase(entry.members.begin());
    }
    return read_rest_api(
        {.file_name = "mcp.json",
         .server = config.servers.at(0),
         .preset =
             section ? &std::get<config::RestTarget>(section->servers[0].target).entry : nullptr},
        reader_of(files));
}

inline RestApi api_of(std::string_view members, std::string_view preset = {},
                      const Files& files = {}) {
    RestOutcome outcome = outcome_of(members, preset, files);
    if (!outcome.api) {
        ADD_FAILURE() << outcome.api.error().front().text();
        return {};
    }
    return std::move(*outcome.api);
}

inline std::vector<std::string> rest_faults_of(std::string_view members,
                                               std::string_view preset = {},
                                               const Files& files = {}) {
    const RestOutcome outcome = outcome_of(members, preset, files);
    return outcome.api ? std::vector<std::string>{} : config::texts_of(outcome.api.error());
}

/// Returns an entry with one tool that has these members.
inline std::string with_tool(std::string_view members) {
    return R"("url":"http://h/base/","tools":[{"name":"t",)" + std::string{members} + "}]";
}

}  // namespace holdfast::rest
