#pragma once

#include <array>
#include <atomic>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace holdfast::calls {

/// Gives each call a name that no other call of any run has.
///
/// Thread-safety: from any thread.
class CallIds final {
public:
    /// `random` tells this run from others.
    explicit CallIds(std::string_view random)
        : prefix_(std::string{random.substr(0, kRunLength)} + "-") {}

    [[nodiscard]] std::string next() {
        std::array<char, kMaxDigits> digits{};
        const auto number = last_.fetch_add(1, std::memory_order_relaxed) + 1;
        const auto written = std::to_chars(digits.data(), digits.data() + digits.size(), number);
        std::string id;
        id.reserve(prefix_.size() + kMaxDigits);
        return std::move(id.append(prefix_).append(digits.data(), written.ptr));
    }

private:
    static constexpr std::size_t kRunLength = 10;
    static constexpr std::size_t kMaxDigits = 20;

    const std::string prefix_;
    std::atomic<std::uint64_t> last_{0};
};

}  // namespace holdfast::calls
