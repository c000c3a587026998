#include "process/process_activity.hpp"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdint>

namespace holdfast::process {
namespace {

resilience::Duration duration_of(std::uint64_t ticks) {
    static const long ticks_per_second = std::max(1L, ::sysconf(_SC_CLK_TCK));
    return std::chrono::nanoseconds{std::chrono::seconds{1}} / ticks_per_second *
           static_cast<std::int64_t>(ticks);
}

}  // namespace

TreeActivity activity_of_tree(const ProcessTable& table, pid_t root) {
    TreeActivity activity;
    for (const ProcessEntry& process : table.entries()) {
        const bool is_in_tree = process.pid == root || process.session == root ||
                                table.kinship(process, root) == Kinship::descendant;
        if (is_in_tree) {
            activity.cpu += duration_of(process.cpu_ticks);
            activity.processes += process.is_dead ? 0 : 1;
        }
    }
    return activity;
}

TreeActivity activity_of_tree(pid_t root) {
    ProcessTable table;
    table.read();
    return activity_of_tree(table, root);
}

}  // namespace holdfast::process
