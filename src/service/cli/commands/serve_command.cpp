#include "cli/commands/serve_command.hpp"

#include <boost/asio/post.hpp>
#include <boost/asio/signal_set.hpp>
#include <csignal>
#include <deque>
#include <optional>
#include <ostream>
#include <tuple>
#include <utility>

#include "cli/exit_code.hpp"
#include "platform/disk_thread.hpp"
#include "platform/file_watch.hpp"
#include "platform/sd_notify.hpp"
#include "process/guardian.hpp"
#include "runtime/config_reading.hpp"
#include "runtime/service.hpp"

namespace holdfast::cli {
namespace {

namespace asio = boost::asio;

constexpr const char* kDefaultAddress = "127.0.0.1:7332";

runtime::ServiceOptions service_options(const ServeOptions& options,
                                        std::function<void(const admin::ControlDone&)> reload) {
    runtime::ServiceOptions result{.http_addresses = options.http_addresses,
                                   .on_stdio = options.on_stdio,
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

/// Serves until a signal or the agent on stdio ends it, by what the config says at each time.
class ServeCommand final {
public:
    ServeCommand(const process::Guardian& guardian, runtime::ConfigReading first,
                 const ServeOptions& options, std::ostream& log)
        : log_(log),
          options_(options),
          service_(guardian, std::move(*first.loaded),
                   service_options(options, [this](const auto& done) { reload(done); }), log),
          signals_(service_.first_loop().executor, SIGINT, SIGTERM, SIGHUP),
          watch_(
              *service_.first_loop().timekeeper, service_.config().file_name, {}, first.stamp,
              [this](const auto& file, auto on_seen) { return look(file, std::move(on_seen)); },
              [this] { reload(nobody()); }),
          disk_({},
                [executor = service_.first_loop().executor](platform::DiskThread::OnLoop run_on) {
                    asio::post(executor, std::move(run_on));
                }) {}

    [[nodiscard]] int run() {
        if (!service_.start()) {
            return kExitFailure;
        }
        platform::tell_service_manager("READY=1");
        if (options_.on_started) {
            options_.on_started(service_);
        }
        wait_for_signal();
        service_.run();
        return kExitSuccess;
    }

private:
    /// For a reload that nobody waits for: what is wrong is told in the log.
    static admin::ControlDone nobody() {
        return [](const admin::ControlResult&) {};
    }

    void wait_for_signal() {
        signals_.async_wait([this](const boost::system::error_code& error, int signal_number) {
            if (error) {
                return;
            }
            if (signal_number == SIGHUP) {
                reload(nobody());
            } else {
                stop();
            }
            wait_for_signal();
        });
    }

    void stop() {
        platform::tell_service_manager("STOPPING=1");
        watch_.stop();
        if (options_.on_stopping) {
            options_.on_stopping();
        }
        service_.stop();
    }

    bool look(const std::string& file,
              std::function<void(std::optional<platform::FileStamp>)> on_seen) {
        return disk_.run([file, on_seen = std::move(on_seen)] {
            return [on_seen, stamp = platform::stamp_of(file)] { on_seen(stamp); };
        });
    }

    void reload(const admin::ControlDone& done) {
        if (service_.is_stopping()) {
            done(refused("The gateway is stopping: the config is not read any more."));
            return;
        }
        const bool is_taken = disk_.run([this, file = service_.config().file_name] {
            return [this, reading = runtime::read_anew(file)] { on_read(*reading); };
        });
        if (!is_taken) {
            service_.say(
                "the config is not read: it is being read already, and the disk does not answer.");
            done(refused("The config is being read already, and the disk does not answer."));
            return;
        }
        platform::tell_service_manager(platform::reloading_notice());
        askers_.push_back(done);
    }

    void on_read(runtime::ConfigReading& reading) {
        const admin::ControlDone done = std::move(askers_.front());
        askers_.pop_front();
        done(applied(reading));
    }

    // The file is used as a whole or not at all.
    [[nodiscard]] admin::ControlResult applied(runtime::ConfigReading& reading) {
        log_ << reading.told << std::flush;
        if (service_.is_stopping()) {
            return refused("The gateway is stopping: the config is not used any more.");
        }
        watch_.on_read(reading.stamp);
        if (reading.loaded) {
            service_.change(std::move(*reading.loaded));
        } else {
            service_.say("the config cannot be used as it is now; the one from before stays.");
        }
        platform::tell_service_manager("READY=1");
        return reading.loaded
                   ? admin::ControlResult{.message = "The config was read anew."}
                   : refused("The config cannot be used, and the one from before stays: " +
                             reading.told);
    }

    static admin::ControlResult refused(std::string why) {
        return {.end = admin::ControlResult::End::conflict, .message = std::move(why)};
    }

    std::ostream& log_;
    const ServeOptions options_;
    runtime::Service service_;
    asio::signal_set signals_;
    platform::FileWatch watch_;
    // Of the readings under way, in their order. They may hold what must not outlive the loops, so
    // they do not go to the thread, which may hang.
    std::deque<admin::ControlDone> askers_;
    platform::DiskThread disk_;
};

}  // namespace

int serve(const ServeOptions& options, std::ostream& log) {
    // First of all: it is forked, and must have neither threads nor secrets to inherit.
    auto guardian = process::Guardian::start();
    if (!guardian) {
        log << "holdfast: " << guardian.error().message << ".\n";
        return kExitFailure;
    }
    const auto reading = runtime::read_anew(options.config_file);
    log << reading->told << std::flush;
    if (!reading->loaded) {
        return kExitConfig;
    }
    ServeCommand command{*guardian, std::move(*reading), options, log};
    return command.run();
}

}  // namespace holdfast::cli
