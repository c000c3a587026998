#include "cli/client/run_with_client.hpp"

#include <algorithm>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/post.hpp>
#include <exception>
#include <ostream>
#include <sstream>
#include <utility>

#include "cli/client/admin_client.hpp"
#include "cli/client/temporary_gateway.hpp"
#include "cli/exit_code.hpp"
#include "cli/output/server_report.hpp"
#include "holdfast/resilience/expect.hpp"
#include "net/event_loops.hpp"

namespace holdfast::cli {
namespace {

namespace asio = boost::asio;

bool is_sentence(const std::string& message) {
    return message.ends_with('.') || message.ends_with('?');
}

resilience::Result<std::string, AdminFault> url_of(const GatewayChoice& choice) {
    if (!choice.url.empty()) {
        return choice.url;
    }
    const auto found = find_agent_address();
    if (!found) {
        return found.error();
    }
    return found->value_or(kDefaultGatewayUrl);
}

/// Asks as soon as the loop runs, and passes the exit code to `on_end`.
void begin_asking(const net::OwningLoop& loop, const GatewayClientOptions& options,
                  const GatewayChoice& choice, const Asking& asking, std::ostream& errors,
                  std::function<void(int)> on_end) {
    auto client = GatewayClient::make(loop, options);
    if (!client) {
        errors << "holdfast: " << client.error().message << ".\n";
        on_end(kExitUsage);
        return;
    }
    const auto deadline = resilience::Deadline::after(loop.timekeeper->now(), choice.timeout);
    asio::co_spawn(loop.executor, asking(std::move(*client), deadline),
                   [on_end = std::move(on_end)](const std::exception_ptr& error, int exit_code) {
                       HOLDFAST_EXPECT(error == nullptr);
                       on_end(exit_code);
                   });
}

int ask_running(const GatewayChoice& choice, const Asking& asking, std::ostream& errors) {
    const auto url = url_of(choice);
    if (!url) {
        errors << "holdfast: " << url.error().message << ".\n";
        return url.error().exit_code;
    }
    net::EventLoops loops{1};
    int exit_code = kExitSuccess;
    asio::post(loops.all().front().executor, [&] {
        begin_asking(loops.all().front(), {.url = *url, .token = choice.token}, choice, asking,
                     errors, [&](int code) {
                         exit_code = code;
                         loops.stop();
                     });
    });
    loops.run();
    return exit_code;
}

int ask_own(const GatewayChoice& choice, const Asking& asking, std::ostream& errors) {
    int exit_code = kExitSuccess;
    bool has_no_server = false;
    const int ran = with_temporary_gateway(
        choice.config_file, choice.timeout, errors,
        [&](runtime::Service& service) {
            const auto reports = server_reports(service);
            has_no_server =
                !reports.empty() && std::ranges::none_of(reports, &ServerReport::is_fine);
            for (const ServerReport& report : reports) {
                if (!report.is_fine) {
                    errors << "holdfast: server \"" << report.name << "\" cannot be used"
                           << ": " << report.reason << "\n";
                }
            }
            if (choice.needs_index) {
                // Blocks the loop, which is idle: its servers have listed their tools.
                service.wait_for_index(choice.timeout);
            }
            const auto& tokens = service.config().agents.tokens;
            begin_asking(service.first_loop(),
                         {.url = "http://127.0.0.1:" + std::to_string(service.port()) + "/mcp",
                          .token = tokens.empty() ? std::string{} : tokens.front().value},
                         choice, asking, errors, [&](int code) {
                             exit_code = code;
                             service.stop();
                         });
        },
        choice.needs_index);
    if (ran != kExitSuccess) {
        return ran;
    }
    // Nothing was asked of a server, whatever the answer is.
    return exit_code == kExitSuccess && has_no_server ? kExitFailure : exit_code;
}

}  // namespace

int run_with_client(const GatewayChoice& choice, const Asking& asking, std::ostream& errors) {
    return choice.config_file.empty() ? ask_running(choice, asking, errors)
                                      : ask_own(choice, asking, errors);
}

int report_fault(const GatewayClientFault& fault, const GatewayChoice& choice,
                 std::ostream& errors) {
    if (fault.is_unreachable && choice.config_file.empty()) {
        const std::string url = choice.url.empty() ? kDefaultGatewayUrl : choice.url;
        errors << "holdfast: no gateway at " << url << " (" << fault.message
               << "); start one with \"holdfast serve\", or use --config\n";
        return kExitNoGateway;
    }
    errors << "holdfast: " << fault.message << (is_sentence(fault.message) ? "\n" : ".\n");
    return kExitFailure;
}

}  // namespace holdfast::cli
