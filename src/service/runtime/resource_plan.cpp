#include "runtime/resource_plan.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <limits>
#include <variant>

namespace holdfast::runtime {
namespace {

constexpr std::size_t kPerProgram = 4;   // three pipes and the leash
constexpr std::size_t kPerAddress = 16;  // connections to one server at the same time, usually
constexpr std::size_t kPerLoop = 8;
constexpr std::size_t kOthers = 64;  // files, listeners, the store
/// Processes of the user besides the programs.
constexpr std::size_t kOtherProcesses = 32;

constexpr std::string_view kRaise =
    "Raise it with LimitNOFILE= in the unit of systemd, or ulimit -n";

struct ServerCounts {
    std::size_t programs = 0;
    std::size_t addresses = 0;
};

ServerCounts counts_of(const config::Config& config) {
    ServerCounts counts;
    for (const config::ServerConfig& server : config.servers) {
        const bool is_program = std::holds_alternative<config::StdioTarget>(server.target);
        if (!server.is_disabled) {
            ++(is_program ? counts.programs : counts.addresses);
        }
    }
    return counts;
}

int as_descriptor(std::size_t value) {
    constexpr auto kMost = static_cast<std::size_t>(std::numeric_limits<int>::max());
    return static_cast<int>(std::min(value, kMost));
}

}  // namespace

ResourcePlan resource_plan(const config::Config& config, std::size_t loop_count,
                           const SystemLimits& limits) {
    const ServerCounts counts = counts_of(config);
    const std::size_t basic = kOthers + kPerLoop * loop_count;
    const std::size_t for_programs = basic + kPerProgram * counts.programs;
    const std::size_t all = limits.descriptors.now;
    // However many servers there are, agents get half.
    const std::size_t reserved = std::min(for_programs + kPerAddress * counts.addresses, all / 2);
    const std::size_t for_agents = all - reserved;
    ResourcePlan plan{.max_descriptor = as_descriptor(for_agents)};
    if (for_programs > all) {
        plan.warnings.push_back(fmt::format(
            "{} servers are programs and need {} open files, but the limit is {} (RLIMIT_NOFILE): "
            "some of them cannot start. {}",
            counts.programs, for_programs, all, kRaise));
    } else if (config.limits.connections > for_agents) {
        plan.warnings.push_back(fmt::format(
            "limits.connections is {}, but the limit of open files is {} (RLIMIT_NOFILE), of which "
            "{} are reserved for servers: about {} connections are accepted. {}",
            config.limits.connections, all, reserved, for_agents, kRaise));
    }
    if (limits.processes.now < counts.programs + kOtherProcesses) {
        plan.warnings.push_back(fmt::format(
            "{} servers are programs, but the user may run only {} processes and threads "
            "(RLIMIT_NPROC): some of them may not start. Raise it with LimitNPROC= in the unit of "
            "systemd, or ulimit -u",
            counts.programs, limits.processes.now));
    }
    return plan;
}

}  // namespace holdfast::runtime
