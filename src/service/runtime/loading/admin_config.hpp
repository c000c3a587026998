#pragma once

#include <string>

#include "admin/agent_items.hpp"
#include "config/config.hpp"
#include "config/fault_report.hpp"

namespace holdfast::runtime {

inline constexpr const char* kDefaultAdminAddress = "127.0.0.1:7333";

/// The section `admin`.
struct AdminConfig {
    bool is_on = true;
    std::string http = {};  ///< `host:port`; empty = the default, or another port if that is taken.
    std::string token = {};  ///< Secret; empty = none.
    admin::AgentItemsOptions agents = {};
};

/// What is wrong goes to the report, and leaves the default in its place. `false` in place of the
/// section turns everything off.
[[nodiscard]] AdminConfig read_admin_config(const config::Node* section,
                                            config::FaultReport& report);

}  // namespace holdfast::runtime
