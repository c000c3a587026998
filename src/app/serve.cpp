#include "app/serve.hpp"

#include <boost/asio/signal_set.hpp>
#include <csignal>
#include <ostream>
#include <sstream>
#include <tuple>
#include <utility>

#include "app/command_line.hpp"
#include "app/file_watch.hpp"
#include "app/loaded_config.hpp"
#include "app/serving.hpp"
#include "net/guardian.hpp"

namespace holdfast::app {
namespace {

namespace asio = boost::asio;

constexpr const char* kDefaultAddress = "127.0.0.1:7332";

ServingOptions serving_options(const ServeOptions& options,
                               std::function<admin::ControlResult()> reload) {
    ServingOptions result{.http_addresses = options.http_addresses,
                          .on_stdio = options.on_stdio,
                          .loops = options.loops,
                          .clock_rate = options.clock_rate,
                          .records = true,
                          .reload = std::move(reload)};
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
          serving_(guardian, std::move(loaded),
                   serving_options(options, [this] { return reload_for_operator(); }), log),
          signals_(serving_.first_loop().executor, SIGINT, SIGTERM, SIGHUP),
          watch_(*serving_.first_loop().timekeeper, serving_.config().file_name, {},
                 [this] { std::ignore = reload(); }) {}

    [[nodiscard]] int run() {
        if (!serving_.start()) {
            return kExitFailure;
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
                std::ignore = reload();  // What is wrong has been told.
            } else {
                watch_.stop();
                serving_.stop();
            }
            wait_for_signal();
        });
    }

    // The file is used as a whole or not at all. What is wrong with it, if it cannot be.
    [[nodiscard]] std::string reload() {
        std::ostringstream told;
        auto loaded = load_everything(serving_.config().file_name, told);
        log_ << told.str() << std::flush;
        if (loaded) {
            serving_.change(std::move(*loaded));
            return {};
        }
        serving_.say("the config cannot be used as it is now; the one from before stays.");
        return told.str();
    }

    [[nodiscard]] admin::ControlResult reload_for_operator() {
        watch_.on_read();
        const std::string wrong = reload();
        if (wrong.empty()) {
            return {.message = "The config was read anew."};
        }
        return {.end = admin::ControlResult::End::conflict,
                .message = "The config cannot be used, and the one from before stays: " + wrong};
    }

    std::ostream& log_;
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
