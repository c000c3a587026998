#pragma once

#include <string>

#include "end_to_end/troubled_server.hpp"
#include "support/test_agent/json_text.hpp"

namespace holdfast::test {

/// Returns an entry of `mcpServers` for a server that starts only once the file `gate` exists;
/// until then a shell waits for the file.
[[nodiscard]] inline std::string gated_entry(const TroubledServer& server,
                                             const std::string& gate) {
    const std::string entry = server.stdio_entry();
    const std::string list = member_text(entry, "args");  // ["FOLDER","--stdio"]
    const std::string folder = list.substr(2, list.find('"', 2) - 2);
    return R"({"command":"/bin/sh","args":["-c","while [ ! -e \"$1\" ]; do sleep 0.05; done; )"
           R"(exec \"$2\" \"$3\" --stdio","sh",")" +
           gate + "\"," + member_text(entry, "command") + ",\"" + folder + "\"]}";
}

}  // namespace holdfast::test
