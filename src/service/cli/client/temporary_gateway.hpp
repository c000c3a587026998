#pragma once

#include <functional>
#include <iosfwd>
#include <string>

#include "holdfast/resilience/time.hpp"
#include "runtime/loaded_config.hpp"
#include "runtime/service.hpp"

namespace holdfast::cli {

/// Serves a config for a short while, on a free port of the loopback: starts its servers, waits
/// until each is ready, has failed, or has made no progress for `wait`, and runs the work, which
/// ends it all by `Service::stop`. Keeps nothing on disk. There is one loop, so whatever happens
/// does on one thread.
///
/// Returns `kExitSuccess` after the work; else reports the reason on `errors`.
[[nodiscard]] int with_temporary_gateway(const std::string& config_file, resilience::Duration wait,
                                         std::ostream& errors,
                                         const std::function<void(runtime::Service&)>& work,
                                         bool finds_by_meaning = false);

}  // namespace holdfast::cli
