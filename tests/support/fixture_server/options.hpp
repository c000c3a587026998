#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "holdfast/resilience/result.hpp"
#include "support/fixture_server/server.hpp"
#include "support/fixture_server/streamable_http.hpp"

namespace holdfast::fixture {

enum class Transport : std::uint8_t { stdio, http, sse, websocket };

/// The command line.
struct FixtureOptions {
    ServerOptions server = {};
    Transport transport = Transport::stdio;
    std::string address = "127.0.0.1";
    std::uint16_t port = 0;  ///< 0 = any free port.
    StreamableHttpOptions http = {};
    bool ignores_end_of_input = false;
    bool ignores_termination = false;
    std::uint32_t lifetime_seconds = 3'600;  ///< Then the process ends, in case a test forgets it.
};

inline constexpr std::string_view kUsage =
    "holdfast_fixture_server [--era legacy|modern|both]\n"
    "    [--stdio | --http ADDRESS:PORT | --sse ADDRESS:PORT | --ws ADDRESS:PORT]\n"
    "    [--sessions on|off] [--always-stream] [--tools N] [--name NAME] [--undescribed-tool]\n"
    "    [--broken-schema-tool] [--only-pushes] [--list-delay-ms N] [--ignore-eof] "
    "[--ignore-term]\n"
    "    [--lifetime-seconds N]\n";

/// Fails with a sentence that names the argument.
[[nodiscard]] resilience::Result<FixtureOptions> parsed_options(
    const std::vector<std::string_view>& arguments);

}  // namespace holdfast::fixture
