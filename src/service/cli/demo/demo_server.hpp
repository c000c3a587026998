#pragma once

#include <chrono>
#include <cstdint>
#include <iosfwd>
#include <string>
#include <string_view>

namespace holdfast::cli {

/// How the flaky server fails.
enum class DemoFailure : std::uint8_t {
    none,
    silence,  ///< A call is never answered.
    junk,     ///< The answer is not JSON.
    crash,    ///< The program ends instead.
    delay,    ///< It is answered late.
};

/// The rhythm of the flaky server, the same in every minute of the clock: forty good seconds, then
/// six of silence, four of junk, five of crashes and five of delay.
[[nodiscard]] DemoFailure failure_at(std::chrono::seconds second_of_minute) noexcept;

/// One of the servers of the demo: MCP by the handshake, as far as a server with a few tools needs
/// it. Decides only; the caller reads, writes, waits and ends.
///
/// Thread-safety: none.
class DemoServer final {
public:
    explicit DemoServer(bool is_flaky) : is_flaky_(is_flaky) {}

    struct Step {
        std::string line = {};                ///< To be written; empty = nothing is.
        std::chrono::milliseconds wait = {};  ///< Before writing it.
        bool ends = false;                    ///< The program is to fail now.
    };

    /// What to do about a line from the client, at that second of a minute.
    [[nodiscard]] Step on_line(std::string_view line, std::chrono::seconds second_of_minute) const;

private:
    [[nodiscard]] std::string answer_to(std::string_view method, std::string_view id,
                                        std::string_view params) const;
    [[nodiscard]] std::string call_result(std::string_view params) const;

    bool is_flaky_;
};

struct DemoServerOptions {
    bool is_flaky = false;
};

/// Serves on the streams until the input ends. Returns the exit code.
[[nodiscard]] int run_demo_server(const DemoServerOptions& options, std::istream& input,
                                  std::ostream& output, std::ostream& log);

}  // namespace holdfast::cli
