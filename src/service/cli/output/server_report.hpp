#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "runtime/service.hpp"

namespace holdfast::cli {

/// What there is to say about one server of a config, at one moment.
struct ServerReport {
    std::string name = {};
    std::string state = {};     ///< "ready", "incomplete", "failed", "no credential", …
    bool is_fine = true;        ///< It can be used, or need not be there.
    std::string revision = {};  ///< Empty = not known.
    std::size_t tools = 0;
    std::size_t prompts = 0;
    std::size_t resources = 0;               ///< Templates among them.
    std::string reason = {};                 ///< Why it is not fine; empty if it is.
    std::vector<std::string> log = {};       ///< Its last lines on standard error, if it is not.
    std::vector<std::string> warnings = {};  ///< What works, but not as its author meant.
};

/// What to do about a config without servers, as a line.
[[nodiscard]] std::string no_servers_text(const std::string& config_file);

/// About all servers of the config, in its order. On the first loop.
[[nodiscard]] std::vector<ServerReport> server_reports(runtime::Service& service);

}  // namespace holdfast::cli
