#pragma once

#include <string>
#include <utility>
#include <vector>

#include "end_to_end/http_backend.hpp"

namespace holdfast::test {

/// A trace as the published CommonTrace backend stores it.
struct StoredTrace {
    std::string id = {};
    std::string title = {};
    std::string context_text = {};
    std::string solution_text = {};
    std::vector<std::string> tags = {};
    std::string status = "validated";
    double similarity_score = 0.875;
    double trust_score = 3.25;
};

/// Answers like the published CommonTrace backend: checks the key and every body against the
/// published schemas, and rejects anything else with 422 and a list of problems.
///
/// Thread-safety: none; one thread at a time.
class CommonTraceApi final {
public:
    explicit CommonTraceApi(std::vector<StoredTrace> traces) : traces_(std::move(traces)) {}

    [[nodiscard]] net::HttpReply respond(const BackendRequest& request);

private:
    [[nodiscard]] net::HttpReply search(const BackendRequest& request) const;
    [[nodiscard]] net::HttpReply contribute(const BackendRequest& request);
    /// `rest` is the part below `/api/v1/traces/`: "id", "id/votes" or "id/amendments".
    [[nodiscard]] net::HttpReply one_trace(const BackendRequest& request, std::string_view rest);
    [[nodiscard]] net::HttpReply tags() const;

    std::vector<StoredTrace> traces_;
    std::vector<std::string> voted_;
};

/// Returns the backend for a loopback port.
[[nodiscard]] inline std::function<net::HttpReply(const BackendRequest&)> commontrace_api(
    std::vector<StoredTrace> traces = {}) {
    return [api = std::make_shared<CommonTraceApi>(std::move(traces))](
               const BackendRequest& request) { return api->respond(request); };
}

}  // namespace holdfast::test
