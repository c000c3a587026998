#include "app/passing_gateway.hpp"

#include <ostream>
#include <sstream>
#include <utility>

#include "app/command_line.hpp"
#include "net/guardian.hpp"

namespace holdfast::app {

int with_passing_gateway(const std::string& config_file, resilience::Duration wait,
                         std::ostream& errors, const std::function<void(Serving&)>& work,
                         bool finds_by_meaning) {
    // First of all: it is forked, and must have neither threads nor secrets to inherit.
    auto guardian = net::Guardian::start();
    if (!guardian) {
        errors << "holdfast: " << guardian.error().message << ".\n";
        return kExitFailure;
    }
    auto loaded = load_everything(config_file, errors);
    if (!loaded) {
        return kExitConfig;
    }
    std::ostringstream log;  // of interest only if it does not start
    Serving serving{*guardian,
                    std::move(*loaded),
                    {.http_addresses = {"127.0.0.1:0"},
                     .loops = 1,
                     .remembers = false,
                     .settle_for = wait,
                     .finds_by_meaning = finds_by_meaning},
                    log};
    if (!serving.start()) {
        errors << log.str();
        return kExitFailure;
    }
    serving.gateway().settling().when_over(serving.first_loop(), [&] { work(serving); });
    serving.run();
    return kExitSuccess;
}

}  // namespace holdfast::app
