#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <string_view>

namespace holdfast::gateway {

/// Gives each call a name that no other call of any run has.
///
/// Thread-safety: from any thread.
class CallIds final {
public:
    /// `random` tells this run from others.
    explicit CallIds(std::string_view random) : prefix_(random.substr(0, kRunLength)) {}

    [[nodiscard]] std::string next() {
        return prefix_ + "-" + std::to_string(last_.fetch_add(1, std::memory_order_relaxed) + 1);
    }

private:
    static constexpr std::size_t kRunLength = 10;

    const std::string prefix_;
    std::atomic<std::uint64_t> last_{0};
};

}  // namespace holdfast::gateway
