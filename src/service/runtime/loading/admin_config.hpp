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
    std::string http = {};   ///< `host:port`; empty = the default, or another port if it is in use.
    std::string token = {};  ///< Secret; empty = none.
    admin::AgentItemsOptions agents = {};
};

/// Reads the section. An invalid value is reported and leaves the default. `false` instead of an
/// object turns everything off.
[[nodiscard]] AdminConfig read_admin_config(const config::Node* section,
                                            config::FaultReport& report);

/// The JSON Schema of the section.
[[nodiscard]] config::Node admin_schema();

}  // namespace holdfast::runtime
