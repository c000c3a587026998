#pragma once

#include <array>
#include <atomic>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace holdfast::calls {

/// The name of a call, in place: it needs no memory of its own.
class CallId final {
public:
    static constexpr std::size_t kMaxBytes = 31;

    CallId() = default;
    /// Longer texts are cut.
    explicit CallId(std::string_view text)
        : size_bytes_(static_cast<std::uint8_t>(text.copy(bytes_.data(), kMaxBytes))) {}

    // NOLINTNEXTLINE(google-explicit-constructor): a call id is a text.
    operator std::string_view() const noexcept { return {bytes_.data(), size_bytes_}; }

private:
    friend class CallIds;

    std::array<char, kMaxBytes> bytes_{};
    std::uint8_t size_bytes_ = 0;
};

/// Makes an id for each call that is unique across runs of the gateway.
///
/// Thread-safety: from any thread.
class CallIds final {
public:
    /// `random` distinguishes this run from others.
    explicit CallIds(std::string_view random)
        : prefix_(std::string{random.substr(0, kRunLength)} + "-") {}

    [[nodiscard]] CallId next() {
        CallId id{prefix_};
        const auto number = last_.fetch_add(1, std::memory_order_relaxed) + 1;
        const auto written = std::to_chars(id.bytes_.data() + id.size_bytes_,
                                           id.bytes_.data() + CallId::kMaxBytes, number);
        id.size_bytes_ = static_cast<std::uint8_t>(written.ptr - id.bytes_.data());
        return id;
    }

private:
    static constexpr std::size_t kRunLength = 10;
    static_assert(CallId::kMaxBytes == kRunLength + 1 + 20, "the longest prefix and number");

    const std::string prefix_;
    std::atomic<std::uint64_t> last_{0};
};

}  // namespace holdfast::calls
