#pragma once

#include <sys/types.h>

#include <chrono>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "support/program.hpp"
#include "support/temporary_folder.hpp"

namespace holdfast::test {

/// A call, a start or a cancellation that the troubled server has recorded.
struct Sighting {
    std::chrono::nanoseconds at = {};  ///< On the monotonic clock.
    pid_t pid = 0;                     ///< Of the process that recorded it.
    std::string tool = {};
    std::string arguments = {};
};

/// Definitions for the list of tools.
[[nodiscard]] std::string unmarked_tool(const std::string& name);
[[nodiscard]] std::string read_only_tool(const std::string& name);

/// A downstream that handles each call as the test has scripted it: a verb and its text. The verbs
/// are those of tests/support/troubled_server.
///
/// Thread-safety: none.
class TroubledServer final {
public:
    explicit TroubledServer(const std::vector<std::string>& tools);

    /// Returns an entry of `mcpServers` with these additional members: `"preset":"octocode"`.
    [[nodiscard]] std::string stdio_entry(const std::string& members = {}) const;
    /// Returns the same over HTTP, and starts the server.
    [[nodiscard]] std::string http_entry(const std::string& members = {});

    /// Ends the server that `http_entry` started: later connections are refused.
    void stop() { program_.reset(); }

    /// Sets the actions from now on: one for each call, the last one for all that follow.
    void does(const std::vector<std::string>& actions);
    /// Does the same for the calls of one tool.
    void does_for(const std::string& tool, const std::vector<std::string>& actions);
    /// Whether its processes exit immediately after their start.
    void refuses_to_start(bool refuses);

    /// Returns all calls so far, or those of one tool.
    [[nodiscard]] std::vector<Sighting> arrivals(std::string_view tool = {}) const;
    [[nodiscard]] std::size_t arrival_count() const { return arrivals().size(); }
    [[nodiscard]] std::vector<Sighting> starts() const;
    [[nodiscard]] std::vector<Sighting> cancellations() const;

private:
    [[nodiscard]] std::vector<Sighting> sightings(const std::string& file) const;

    TemporaryFolder folder_;
    std::unique_ptr<Program> program_;
};

}  // namespace holdfast::test
