#pragma once

#include <string>

#include "end_to_end/troubled_server.hpp"
#include "support/test_agent/json_text.hpp"

namespace holdfast::test {

/// An entry of `mcpServers` for a server that does not start before the file `gate` is there: a
/// shell in its place waits for it.
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
