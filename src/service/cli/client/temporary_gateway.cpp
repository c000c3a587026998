#include "cli/client/temporary_gateway.hpp"

#include <unistd.h>

#include <iostream>
#include <optional>
#include <ostream>
#include <sstream>
#include <utility>

#include "cli/exit_code.hpp"
#include "cli/output/progress_line.hpp"
#include "cli/output/server_report.hpp"
#include "process/guardian.hpp"
#include "runtime/gateway_chain.hpp"

namespace holdfast::cli {
namespace {

WaitingProgress progress_of(runtime::Service& service) {
    WaitingProgress progress;
    for (const ServerReport& report : server_reports(service)) {
        ++progress.total;
        if (report.state != "not ready" && report.state != "not started") {
            ++progress.done;
        } else {
            progress.missing += (progress.missing.empty() ? "" : ", ") + report.name;
        }
    }
    return progress;
}

}  // namespace

int with_temporary_gateway(const std::string& config_file, resilience::Duration wait,
                           std::ostream& errors, const std::function<void(runtime::Service&)>& work,
                           bool finds_by_meaning) {
    // First of all: it is forked, and must have neither threads nor secrets to inherit.
    auto guardian = process::Guardian::start({.successor = process::this_program_as_guardian()});
    if (!guardian) {
        errors << "holdfast: " << guardian.error().message << ".\n";
        return kExitFailure;
    }
    runtime::ConfigMessages messages;
    auto loaded = runtime::load_everything(config_file, messages);
    runtime::print(messages, errors);
    if (!loaded) {
        return kExitConfig;
    }
    if (const auto fault = runtime::join_chain(loaded->config.file_name)) {
        errors << "holdfast: " << *fault << ".\n";
        return kExitFailure;
    }
    std::ostringstream lines;  // of interest only if it does not start
    const logging::Log log{
        lines, {.level = logging::LogLevel::error, .format = logging::LogFormat::plain}};
    runtime::Service service{*guardian,
                             std::move(*loaded),
                             {.http_addresses = {"127.0.0.1:0"},
                              .loops = 1,
                              .remembers = false,
                              .settle_for = wait,
                              .finds_by_meaning = finds_by_meaning},
                             log};
    if (!service.start()) {
        errors << lines.str();
        return kExitFailure;
    }
    std::optional<ProgressLine> bar;
    if (::isatty(STDERR_FILENO) != 0) {
        bar.emplace(
            *service.first_loop().timekeeper, [&service] { return progress_of(service); },
            std::cerr);
    }
    service.gateway().startup_barrier().when_over(service.first_loop(), [&] {
        bar.reset();
        work(service);
    });
    service.run();
    return kExitSuccess;
}

}  // namespace holdfast::cli
