#pragma once

#include <string>
#include <string_view>

#include "end_to_end/acceptance.hpp"
#include "support/test_agent/json_text.hpp"

// Results in the format of the package octocode-mcp 19.1.0.

namespace holdfast::test {

/// Returns the result for one failed query: a text in YAML, and the same as `structuredContent`,
/// where `status` is not a number. `error` must not need escapes.
[[nodiscard]] inline std::string octocode_error(const std::string& error,
                                                const std::string& more_text = {}) {
    return R"({"content":[{"type":"text","text":"results:\n- index: 0\n  status: error\n  meta:\n)"
           R"(    evidence:\n      kind: provider\n      confidence: low\n  data:\n    error: )" +
           error + more_text +
           R"(\n"}],"structuredContent":{"results":[{"index":0,"status":"error","meta":{"evidence":)"
           R"({"kind":"provider","confidence":"low"}},"data":{"error":")" +
           error + R"("}}]},"isError":true})";
}

/// Returns the same with the status as a field of the error, as the history tools write it.
[[nodiscard]] inline std::string octocode_http_error(int status, const std::string& error) {
    const std::string number = std::to_string(status);
    return R"({"content":[{"type":"text","text":"results:\n- index: 0\n  status: error\n  data:\n)"
           R"(    error:\n      status: )" +
           number + R"(\n      type: http\n      error: )" + error +
           R"(\n"}],"structuredContent":{"results":[{"index":0,"status":"error","data":{"error":)"
           R"({"type":"http","error":")" +
           error + R"(","status":)" + number + R"(}}}]},"isError":true})";
}

/// Actions of the troubled server.
[[nodiscard]] inline std::string gives(const std::string& result) {
    return "result " + result;
}
[[nodiscard]] inline std::string fails_with(const std::string& error) {
    return gives(octocode_error(error));
}

/// Returns an error that counts on the circuit of a tool and that its category does not retry.
[[nodiscard]] inline std::string counted_error_of(std::string_view tool) {
    return tool.starts_with("lsp") ? "EBUSY: resource busy or locked, open 'tsconfig.json'"
                                   : "connect ECONNREFUSED 127.0.0.1:443";
}

inline const std::string kMissingFile = "File not found: missing.js. Verify the path.";
inline const std::string kOctocodePreset = R"("preset":"octocode")";

}  // namespace holdfast::test
