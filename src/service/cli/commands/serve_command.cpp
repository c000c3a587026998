#include "cli/commands/serve_command.hpp"

#include <unistd.h>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <chrono>
#include <csignal>
#include <exception>
#include <memory>
#include <tuple>
#include <utility>

#include "cli/commands/commands.hpp"
#include "cli/common_options.hpp"
#include "cli/exit_code.hpp"
#include "cli/program_paths.hpp"
#include "holdfast/resilience/asio/one_shot.hpp"
#include "net/expect_no_exception.hpp"
#include "net/run_on_thread.hpp"
#include "platform/environment.hpp"
#include "platform/file_watch.hpp"
#include "platform/job_thread.hpp"
#include "platform/sd_notify.hpp"
#include "process/guardian.hpp"
#include "runtime/config_reading.hpp"
#include "runtime/gateway_chain.hpp"
#include "runtime/service.hpp"

namespace holdfast::cli {
namespace {

namespace asio = boost::asio;

constexpr const char* kDefaultAddress = "127.0.0.1:7332";
constexpr resilience::Duration kLookEvery = std::chrono::milliseconds{500};
// Each has a thread and some descriptors.
constexpr double kMaxLoops = 256;

runtime::ServiceOptions service_options(const ServeOptions& options,
                                        std::function<void(const admin::ControlDone&)> reload) {
    runtime::ServiceOptions result{.http_addresses = options.http_addresses,
                                   .on_stdio = options.on_stdio,
                                   .allows_insecure_http = options.allows_insecure_http,
                                   .loops = options.loops,
                                   .clock_rate = options.clock_rate,
                                   .records = true,
                                   .reload = std::move(reload),
                                   .drain_for = options.drain_for};
    if (result.http_addresses.empty() && !options.on_stdio) {
        result.http_addresses.emplace_back(kDefaultAddress);
    }
    return result;
}

void log_messages(const runtime::ServiceLog& log, const runtime::ConfigMessages& messages) {
    for (const runtime::ConfigMessage& message : messages) {
        log.config_message(message);
    }
}

/// Serves until a signal or the end of standard input stops it. Reloads the config when its file
/// changes, on SIGHUP, and for an operator.
///
/// Thread-safety: none; belongs to the first loop. Its coroutines end with that loop, which belongs
/// to the service.
class ServeCommand final {
public:
    ServeCommand(const process::Guardian& guardian, runtime::ConfigReading first,
                 const ServeOptions& options, const logging::Log& log)
        : options_(options),
          service_(guardian, std::move(*first.loaded),
                   service_options(options, [this](const auto& done) { start_reload(done); }), log),
          signals_(service_.first_loop().executor, SIGINT, SIGTERM, SIGHUP),
          watch_(first.stamp) {}

    [[nodiscard]] int run() {
        if (!service_.start()) {
            return kExitFailure;
        }
        platform::tell_service_manager("READY=1");
        if (options_.on_started) {
            options_.on_started(service_);
        }
        asio::co_spawn(loop().executor, handle_signals(), net::expect_no_exception);
        asio::co_spawn(loop().executor, watch_file(), net::expect_no_exception);
        service_.run();
        return kExitSuccess;
    }

private:
    [[nodiscard]] const net::OwningLoop& loop() const { return service_.first_loop(); }

    asio::awaitable<void> handle_signals() {
        while (true) {
            const auto [error, signal_number] =
                co_await signals_.async_wait(asio::as_tuple(asio::use_awaitable));
            if (error) {
                co_return;
            }
            if (signal_number == SIGHUP) {
                start_reload([](const admin::ControlResult&) {});  // the log has the result
            } else {
                stop();
            }
        }
    }

    void stop() {
        platform::tell_service_manager("STOPPING=1");
        if (options_.on_stopping) {
            options_.on_stopping();
        }
        service_.stop();
    }

    /// A disk that hangs gets no second look before it has answered the first.
    asio::awaitable<void> watch_file() {
        resilience::OneShot pause{*loop().timekeeper};
        while (!service_.is_stopping()) {
            std::ignore = co_await pause.wait_until(loop().timekeeper->now() + kLookEvery);
            const auto stamp = co_await net::run_on_thread(
                disk_, loop(),
                [file = service_.config().file_name] { return platform::stamp_of(file); });
            if (stamp && watch_.on_look(*stamp)) {
                service_.log().config_changed(service_.config().file_name);
                std::ignore = co_await reload();  // the log has the result
            }
        }
    }

    void start_reload(const admin::ControlDone& done) {
        asio::co_spawn(loop().executor, reload(),
                       [done](const std::exception_ptr& error, const admin::ControlResult& result) {
                           net::expect_no_exception(error);
                           done(result);
                       });
    }

    asio::awaitable<admin::ControlResult> reload() {
        if (service_.is_stopping()) {
            co_return refused("The gateway is stopping and does not reload its config.");
        }
        platform::tell_service_manager(platform::reloading_notice());
        const auto reading = co_await net::run_on_thread(disk_, loop(), service_.config_reader());
        if (!reading) {
            service_.log().reload_skipped();
            co_return refused("The previous reload is still waiting for the disk.");
        }
        co_return applied(**reading);
    }

    // The file is used as a whole or not at all.
    [[nodiscard]] admin::ControlResult applied(runtime::ConfigReading& reading) {
        log_messages(service_.log(), reading.messages);
        if (service_.is_stopping()) {
            return refused("The gateway is stopping and does not reload its config.");
        }
        watch_.on_read(reading.stamp);
        if (reading.loaded) {
            service_.change(std::move(*reading.loaded));
        } else {
            service_.reject(reading.messages);
        }
        platform::tell_service_manager("READY=1");
        return reading.loaded
                   ? admin::ControlResult{.message = "The config was reloaded."}
                   : refused("The config was rejected, and the previous one stays in use: " +
                             runtime::joined(reading.messages));
    }

    static admin::ControlResult refused(std::string why) {
        return {.end = admin::ControlResult::End::conflict, .message = std::move(why)};
    }

    const ServeOptions options_;
    runtime::Service service_;
    asio::signal_set signals_;
    platform::FileWatch watch_;
    platform::JobThread disk_{{}};  // for the config file; stops before the loops go
};

}  // namespace

int serve(const ServeOptions& options, std::ostream& errors) {
    const logging::Log log{errors, logging::log_options_for(STDERR_FILENO, options.log,
                                                            platform::environment_variable)};
    const runtime::ServiceLog service_log{log};
    // First of all: it is forked, and must have neither threads nor secrets to inherit.
    auto guardian = process::Guardian::start(
        {.successor = process::this_program_as_guardian(),
         .on_replaced = [service_log] { service_log.guardian_replaced(); }});
    if (!guardian) {
        service_log.guardian_failed(guardian.error().message);
        return kExitFailure;
    }
    if (!has_trusted(options.trusts_folder, errors)) {
        return kExitConfig;
    }
    const auto reading = runtime::read_anew(options.config_file);
    if (reading->loaded) {
        service_log.config_used(absolute_path(reading->loaded->config.file_name));
    }
    log_messages(service_log, reading->messages);
    if (!reading->loaded) {
        return kExitConfig;
    }
    if (const auto fault = runtime::join_chain(reading->loaded->config.file_name)) {
        service_log.chain_refused(*fault);
        return kExitFailure;
    }
    ServeCommand command{*guardian, std::move(*reading), options, log};
    return command.run();
}

Command serve_command() {
    const auto options = std::make_shared<ServeOptions>();
    return {.name = "serve",
            .help = "Run the gateway",
            .examples = {"holdfast serve --config servers.json --http 127.0.0.1:7332"},
            .options = {{.name = "--config", .help = kConfigHelp, .target = &options->config_file},
                        trust_option(options->trusts_folder),
                        address_option("--http", "Address to listen on (default: 127.0.0.1:7332)",
                                       &options->http_addresses),
                        {.name = "--stdio",
                         .help = "Serve one agent on standard input and output",
                         .target = &options->on_stdio},
                        {.name = "--insecure-http",
                         .help = "Listen beyond loopback without TLS",
                         .target = &options->allows_insecure_http},
                        {.name = "--loops",
                         .help = "Number of event loops (default: one per core)",
                         .target = &options->loops,
                         .min = 1,
                         .max = kMaxLoops},
                        {.name = "--drain",
                         .help = "Grace period for in-flight calls on shutdown",
                         .target = &options->drain_for},
                        log_level_option(options->log),
                        log_format_option(options->log),
                        {.name = "--clock-rate",
                         .help = "Run timers N times faster (testing only)",
                         .target = &options->clock_rate,
                         .min = 1,
                         .max = 20}},
            .run = [options](std::ostream& /*out*/, std::ostream& errors) {
                return serve(*options, errors);
            }};
}

}  // namespace holdfast::cli
