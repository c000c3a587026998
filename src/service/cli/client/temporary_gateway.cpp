#include "cli/client/temporary_gateway.hpp"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <iostream>
#include <optional>
#include <ostream>
#include <sstream>
#include <utility>

#include "cli/exit_code.hpp"
#include "cli/output/progress_line.hpp"
#include "cli/output/server_report.hpp"
#include "cli/output/start_text.hpp"
#include "holdfast/resilience/timekeeper.hpp"
#include "process/guardian.hpp"
#include "runtime/gateway_chain.hpp"

namespace holdfast::cli {
namespace {

/// A start that makes progress has a limit of its own.
constexpr std::chrono::hours kLongestWait{24};

WaitingProgress progress_of(runtime::Service& service) {
    const auto servers = service.gateway().servers();
    WaitingProgress progress;
    for (const ServerReport& report : server_reports(service)) {
        ++progress.total;
        if (report.state != "not ready" && report.state != "not started") {
            ++progress.done;
            continue;
        }
        const auto found = std::ranges::find(*servers, report.name, &surface::Server::name);
        const auto start =
            found == servers->end() ? std::nullopt : found->downstream->status().start;
        progress.missing += (progress.missing.empty() ? "" : ", ") + report.name;
        if (start) {
            progress.missing +=
                " (" + start_text(*start, service.first_loop().timekeeper->now()) + ")";
        }
    }
    return progress;
}

/// Ends the wait for servers that make no progress, and reports long starts on a stream that is not
/// a terminal.
///
/// Thread-safety: none; belongs to the first loop, which must outlive it.
class StartWait final : public resilience::Timer {
public:
    /// `lines` is null if nothing is to be reported.
    StartWait(runtime::Service& service, resilience::Duration wait, std::ostream* lines)
        : service_(service),
          timekeeper_(*service.first_loop().timekeeper),
          wait_(wait),
          begun_at_(timekeeper_.now()),
          reports_(lines) {
        timekeeper_.schedule(*this, begun_at_ + kEvery);
    }
    StartWait(const StartWait&) = delete;
    StartWait& operator=(const StartWait&) = delete;
    ~StartWait() override {
        if (is_scheduled()) {
            timekeeper_.cancel(*this);
        }
    }

    void on_time() override {
        const auto now = timekeeper_.now();
        timekeeper_.schedule(*this, now + kEvery);
        bool is_worth_it = now < resilience::saturating_add(begun_at_, wait_);
        const auto servers = service_.gateway().servers();
        for (const surface::Server& server : *servers) {
            const auto status = server.downstream->status();
            is_worth_it = is_worth_it || makes_progress(status, now, wait_);
            reports_.on_status(server.name, status, now);
        }
        if (!is_worth_it) {
            // Destroys this object.
            service_.gateway().startup_barrier().on_time_up();
        }
    }

private:
    static constexpr std::chrono::milliseconds kEvery{100};

    runtime::Service& service_;
    resilience::Timekeeper& timekeeper_;
    const resilience::Duration wait_;
    const resilience::TimePoint begun_at_;
    StartReports reports_;
};

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
                              .settle_for = kLongestWait,
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
    std::optional<StartWait> patience;
    patience.emplace(service, wait, bar ? nullptr : &std::cerr);
    service.gateway().startup_barrier().when_over(service.first_loop(), [&] {
        bar.reset();
        patience.reset();
        work(service);
    });
    service.run();
    return kExitSuccess;
}

}  // namespace holdfast::cli
