#include "cli/commands/demo_command.hpp"

#include <memory>
#include <optional>
#include <ostream>
#include <string_view>
#include <utility>

#include "cli/commands/commands.hpp"
#include "cli/commands/serve_command.hpp"
#include "cli/common_options.hpp"
#include "cli/demo/demo_traffic.hpp"
#include "cli/exit_code.hpp"
#include "cli/program_paths.hpp"
#include "jsonrpc/json_text.hpp"
#include "platform/environment.hpp"
#include "platform/private_file.hpp"
#include "platform/user_folders.hpp"
#include "runtime/service.hpp"

namespace holdfast::cli {
namespace {

constexpr std::string_view kConfigBegin =
    R"(// The demo of Holdfast. Change this file while the demo runs: the gateway reloads it. The next demo
// overwrites it.
{
  "mcpServers": {
    // Always healthy.
    "steady": { "command": )";
constexpr std::string_view kConfigMiddle = R"(, "args": ["demo-server"] },
    // In every minute of the clock: 40 s healthy, 6 s silent, 4 s of junk, 5 s of crashes, 5 s slow.
    "flaky": { "command": )";
constexpr std::string_view kConfigEnd = R"(, "args": ["demo-server", "--flaky"] },
  },
  "policies": {
    // Short times, so that there is something to see.
    "default": {
      "timeout": "6s",
      "attemptTimeout": "2s",
      "circuit": { "failures": 3, "open": "5s" },
    },
  },
  "admin": { "http": )";

/// Keeps the traffic for as long as the gateway runs.
class DemoAgent final {
public:
    void start(runtime::Service& service) {
        auto client = GatewayClient::make(
            service.first_loop(),
            {.url = "http://127.0.0.1:" + std::to_string(service.port()) + "/mcp"});
        if (!client) {
            service.log().demo_message(client.error().message);
            return;
        }
        service.log().demo_message(
            "an agent calls the tools of \"steady\" and \"flaky\"; failed calls are shown here. "
            "Press Ctrl-C to stop");
        traffic_.emplace(
            service.first_loop(), std::move(*client),
            [log = service.log()](const std::string& failure) { log.demo_message(failure); });
    }
    void stop() { traffic_.reset(); }

private:
    std::optional<DemoTraffic> traffic_;
};

}  // namespace

std::string demo_config(const std::string& program, const std::string& admin) {
    const std::string command = jsonrpc::quoted_text(program);
    return std::string{kConfigBegin} + command + std::string{kConfigMiddle} + command +
           std::string{kConfigEnd} + jsonrpc::quoted_text(admin) + " },\n}\n";
}

int run_demo(const DemoOptions& options, std::ostream& errors) {
    const std::string file =
        platform::user_folders(platform::environment_variable).cache + "/demo.json";
    if (const auto fault =
            platform::replace_atomically(file, demo_config(own_program(), options.admin_address))) {
        errors << "holdfast: " << fault->message << ".\n";
        return kExitFailure;
    }
    DemoAgent agent;
    return serve({.config_file = file,
                  .http_addresses = {options.http_address},
                  .log = options.log,
                  .on_started =
                      [&](runtime::Service& service) {
                          service.log().demo_message("the config is " + file);
                          agent.start(service);
                      },
                  .on_stopping = [&agent] { agent.stop(); }},
                 errors);
}

Command demo_command() {
    const auto options = std::make_shared<DemoOptions>();
    return {
        .name = "demo",
        .help = "Run a gateway with two demo servers, one of them flaky",
        .examples = {"holdfast demo --http 127.0.0.1:0"},
        .options = {address_option(
                        "--http", "Address of the gateway (default: " + options->http_address + ")",
                        &options->http_address),
                    address_option("--admin",
                                   "Address of the page (default: " + options->admin_address + ")",
                                   &options->admin_address),
                    log_level_option(options->log), log_format_option(options->log)},
        .run = [options](std::ostream& /*out*/, std::ostream& errors) {
            return run_demo(*options, errors);
        }};
}

}  // namespace holdfast::cli
