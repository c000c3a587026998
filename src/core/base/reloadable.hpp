#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <utility>

#include "holdfast/resilience/synchronized.hpp"

namespace holdfast::base {

/// An immutable value that a reload replaces and every request reads. Each thread keeps the value
/// that it read last, and takes the lock only after a change.
///
/// The version is raised after the value is stored (release), and read before the value is taken
/// (acquire), so a kept value is at least as new as the version that it is marked with.
///
/// Thread-safety: from any thread.
template <class Value>
class Reloadable final {
public:
    explicit Reloadable(Value first) { replace(std::move(first)); }

    void replace(Value value) {
        auto shared = std::make_shared<const Value>(std::move(value));
        latest_.with([&shared](auto& latest) { latest.swap(shared); });
        version_.store(next_version(), std::memory_order_release);
    }

    /// The value of this moment; valid until this thread calls the function of any such object.
    [[nodiscard]] const Value& current() const {
        thread_local Kept kept;
        const std::uint64_t version = version_.load(std::memory_order_acquire);
        if (kept.version != version) {
            kept.value = latest_.with([](const auto& latest) { return latest; });
            kept.version = version;
        }
        return *kept.value;
    }

private:
    struct Kept {
        std::uint64_t version = 0;  // 0 = nothing
        std::shared_ptr<const Value> value = {};
    };

    /// Different for all objects, so that a kept value is never taken for that of another object.
    static std::uint64_t next_version() {
        static std::atomic<std::uint64_t> last = 0;
        return last.fetch_add(1, std::memory_order_relaxed) + 1;
    }

    resilience::Synchronized<std::shared_ptr<const Value>> latest_;
    std::atomic<std::uint64_t> version_ = 0;
};

}  // namespace holdfast::base
