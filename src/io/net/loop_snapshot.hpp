#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <utility>

#include "holdfast/resilience/synchronized.hpp"
#include "net/per_loop.hpp"

namespace holdfast::net {

/// An immutable value that is replaced now and then and read on every loop all the time. Each loop
/// has its own copy of the pointer and takes the lock only when the value has been replaced since.
/// A loop that does not read keeps its last value alive, so a value must not own what has to end
/// soon.
///
/// The version is raised after the value is stored (release), and read before the value is taken
/// (acquire): a copy is at least as new as the version that it is marked with, and a newer value is
/// noticed at the next reading.
///
/// Thread-safety: `on` on the loop that is named; all else from any thread.
template <class Value>
class LoopSnapshot final {
public:
    LoopSnapshot() = default;
    explicit LoopSnapshot(std::shared_ptr<const Value> first) { publish(std::move(first)); }

    void publish(std::shared_ptr<const Value> value) {
        latest_.with([&](auto& latest) { latest.swap(value); });
        version_.fetch_add(1, std::memory_order_release);
    }

    /// The value of this moment, null before the first. Must be called on the loop; valid until the
    /// next call there.
    [[nodiscard]] const Value* on(const OwningLoop& loop) const {
        Copy& copy = copies_.of(loop);
        const std::uint64_t version = version_.load(std::memory_order_acquire);
        if (copy.version != version) {
            copy.value = latest();
            copy.version = version;
        }
        return copy.value.get();
    }

    /// The same from any thread. Takes the lock.
    [[nodiscard]] std::shared_ptr<const Value> latest() const {
        return latest_.with([](const auto& latest) { return latest; });
    }

private:
    struct Copy {
        std::uint64_t version = 0;  // 0 = nothing was published yet
        std::shared_ptr<const Value> value = {};
    };

    resilience::Synchronized<std::shared_ptr<const Value>> latest_;
    std::atomic<std::uint64_t> version_ = 0;
    mutable PerLoop<Copy> copies_;
};

}  // namespace holdfast::net
