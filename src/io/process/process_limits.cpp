#include "process/process_limits.hpp"

#include <sys/resource.h>

#include <algorithm>
#include <tuple>

namespace holdfast::process {
namespace {

constexpr rlim_t kMostDescriptors = 1'048'576;

std::size_t count_of(rlim_t value) {
    return value == RLIM_INFINITY ? kNoLimit : static_cast<std::size_t>(value);
}

ProcessLimit limit_of(const rlimit& limit) {
    return {.now = count_of(limit.rlim_cur), .most = count_of(limit.rlim_max)};
}

}  // namespace

ProcessLimit descriptor_limit() {
    rlimit limit{};
    return ::getrlimit(RLIMIT_NOFILE, &limit) == 0 ? limit_of(limit) : ProcessLimit{};
}

ProcessLimit process_count_limit() {
    rlimit limit{};
    return ::getrlimit(RLIMIT_NPROC, &limit) == 0 ? limit_of(limit) : ProcessLimit{};
}

void raise_descriptor_limit() {
    rlimit limit{};
    if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) {
        return;
    }
    const rlim_t wanted = std::min(limit.rlim_max, kMostDescriptors);
    if (limit.rlim_cur < wanted) {
        limit.rlim_cur = wanted;
        std::ignore = ::setrlimit(RLIMIT_NOFILE, &limit);  // else it stays as it is
    }
}

void lower_descriptor_limit(std::size_t limit) {
    rlimit now{};
    if (limit != 0 && ::getrlimit(RLIMIT_NOFILE, &now) == 0 && limit < now.rlim_cur) {
        now.rlim_cur = limit;
        std::ignore = ::setrlimit(RLIMIT_NOFILE, &now);  // lowering is always allowed
    }
}

}  // namespace holdfast::process
