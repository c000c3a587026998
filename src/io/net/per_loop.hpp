#pragma once

#include <atomic>
#include <memory>

#include "net/loop.hpp"

namespace holdfast::net {

/// One value for each loop that has asked for it, found without a lock. A value belongs to its
/// loop: only that loop uses it. Values live as long as this object.
///
/// The values are a list that only grows. A new one is published with release order, and the walk
/// through the list begins with acquire order, so a loop that meets the value of another one sees
/// its owner complete. Neither the owner nor the place in the list ever changes.
///
/// Thread-safety: `of` on the loop that is named, `for_each` from any thread; all else while no
/// loop uses it.
template <class Value>
class PerLoop final {
public:
    PerLoop() = default;
    PerLoop(const PerLoop&) = delete;
    PerLoop& operator=(const PerLoop&) = delete;
    ~PerLoop() {
        for (Node* node = first_.load(std::memory_order_acquire); node != nullptr;) {
            const std::unique_ptr<Node> last{node};
            node = last->next;
        }
    }

    /// The value of this loop, at first a default one. Must be called on the loop.
    [[nodiscard]] Value& of(const OwningLoop& loop) {
        for (Node* node = first_.load(std::memory_order_acquire); node != nullptr;
             node = node->next) {
            if (node->loop.timekeeper == loop.timekeeper) {
                return node->value;
            }
        }
        return added(loop);
    }

    /// Calls `visit` with each loop and its value. The value must be used on that loop only, so it
    /// is for work to be posted there.
    template <class Visit>
    void for_each(Visit visit) {
        for (Node* node = first_.load(std::memory_order_acquire); node != nullptr;
             node = node->next) {
            visit(node->loop, node->value);
        }
    }

private:
    struct Node {
        OwningLoop loop = {};
        Node* next = nullptr;
        Value value = {};
    };

    // Two loops may add at once; each adds only its own.
    Value& added(const OwningLoop& loop) {
        auto node = std::make_unique<Node>(Node{.loop = loop});
        node->next = first_.load(std::memory_order_relaxed);
        while (!first_.compare_exchange_weak(node->next, node.get(), std::memory_order_release,
                                             std::memory_order_relaxed)) {
        }
        return node.release()->value;
    }

    std::atomic<Node*> first_ = nullptr;
};

}  // namespace holdfast::net
