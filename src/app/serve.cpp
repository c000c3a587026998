#include "app/serve.hpp"

#include <boost/asio/signal_set.hpp>
#include <csignal>
#include <ostream>
#include <sstream>
#include <utility>

#include "app/command_line.hpp"
#include "app/file_watch.hpp"
#include "app/loaded_config.hpp"
#include "app/service_notice.hpp"
#include "app/serving.hpp"
#include "net/guardian.hpp"

namespace holdfast::app {
namespace {

namespace asio = boost::asio;

constexpr const char* kDefaultAddress = "127.0.0.1:7332";

ServingOptions serving_options(const ServeOptions& options) {
    ServingOptions result{.http_addresses = options.http_addresses,
                          .on_stdio = options.on_stdio,
                          .loops = options.loops,
                          .clock_rate = options.clock_rate,
                          .records = true,
                          .drain_for = options.drain_for};
    if (result.http_addresses.empty() && !options.on_stdio) {
        result.http_addresses.emplace_back(kDefaultAddress);
    }
    return result;
}

/// Serves until a signal or the agent on stdio ends it, by what the config says at each time.
class ServeCommand final {
public:
    ServeCommand(const net::Guardian& guardian, LoadedConfig loaded, const ServeOptions& options,
                 std::ostream& log)
        : log_(log),
          options_(options),
          serving_(guardian, std::move(loaded), serving_options(options), log),
          signals_(serving_.first_loop().executor, SIGINT, SIGTERM, SIGHUP),
          watch_(*serving_.first_loop().timekeeper, serving_.config().file_name, {},
                 [this] { reload(); }) {}

    [[nodiscard]] int run() {
        if (!serving_.start()) {
            return kExitFailure;
        }
        tell_service_manager("READY=1");
        if (options_.on_started) {
            options_.on_started(serving_);
        }
        wait_for_signal();
        serving_.run();
        return kExitSuccess;
    }

private:
    void wait_for_signal() {
        signals_.async_wait([this](const boost::system::error_code& error, int signal_number) {
            if (error) {
                return;
            }
            if (signal_number == SIGHUP) {
                watch_.on_read();
                reload();
            } else {
                stop();
            }
            wait_for_signal();
        });
    }

    void stop() {
        tell_service_manager("STOPPING=1");
        watch_.stop();
        if (options_.on_stopping) {
            options_.on_stopping();
        }
        serving_.stop();
    }

    // The file is used as a whole or not at all.
    void reload() {
        tell_service_manager(reloading_notice());
        std::ostringstream told;
        auto loaded = load_everything(serving_.config().file_name, told);
        log_ << told.str() << std::flush;
        if (loaded) {
            serving_.change(std::move(*loaded));
        } else {
            serving_.say("the config cannot be used as it is now; the one from before stays.");
        }
        tell_service_manager("READY=1");
    }

    std::ostream& log_;
    const ServeOptions options_;
    Serving serving_;
    asio::signal_set signals_;
    FileWatch watch_;
};

}  // namespace

int serve(const ServeOptions& options, std::ostream& log) {
    // First of all: it is forked, and must have neither threads nor secrets to inherit.
    auto guardian = net::Guardian::start();
    if (!guardian) {
        log << "holdfast: " << guardian.error().message << ".\n";
        return kExitFailure;
    }
    auto loaded = load_everything(options.config_file, log);
    if (!loaded) {
        return kExitConfig;
    }
    ServeCommand command{*guardian, std::move(*loaded), options, log};
    return command.run();
}

}  // namespace holdfast::app
