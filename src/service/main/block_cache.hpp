#pragma once

#include <malloc.h>

#include <array>
#include <cstddef>
#include <cstdlib>
#include <new>
#include <utility>

namespace holdfast::main {

/// Caches the memory blocks that one thread has freed and will soon need again, by size. A call
/// through the gateway allocates and frees some thirty blocks, and dozens of calls are in flight at
/// a time. That is more than the cache of the C library is made for, which holds seven blocks per
/// size and none over a kilobyte.
///
/// All blocks come from malloc. Any block may therefore be given back, regardless of its origin,
/// and blocks that are not cached are freed as usual. There is no destructor, because a thread
/// frees memory until its very end; cached blocks are then lost. The cache is for threads that live
/// as long as the process.
///
/// Thread-safety: none; each thread has its own.
class BlockCache final {
public:
    static constexpr std::size_t kMaxBlockBytes = std::size_t{16} * 1024;
    static constexpr std::size_t kMaxHeldBytes = std::size_t{1024} * 1024;

    /// Returns null when out of memory.
    [[nodiscard]] void* take(std::size_t size_bytes) noexcept {
        if (size_bytes > kMaxBlockBytes) {
            return std::malloc(size_bytes);
        }
        const std::size_t place = place_of(size_bytes);
        Block* const first = places_[place];
        if (first == nullptr) {
            return std::malloc(place * kStepBytes);
        }
        places_[place] = first->next;
        held_bytes_ -= place * kStepBytes;
        return first;
    }

    /// Returns false if the block is not cached; the caller then frees it.
    [[nodiscard]] bool try_give(void* block) noexcept {
        return try_put(block, ::malloc_usable_size(block) / kStepBytes);
    }
    /// Does the same for a block that some thread's cache returned for this size.
    [[nodiscard]] bool try_give(void* block, std::size_t size_bytes) noexcept {
        return try_put(block, place_of(size_bytes));
    }

    [[nodiscard]] std::size_t held_bytes() const noexcept { return held_bytes_; }
    [[nodiscard]] bool is_full() const noexcept { return held_bytes_ >= kMaxHeldBytes; }

    /// Frees all cached blocks. For a full cache: its blocks have sizes that are no longer needed,
    /// such as those of a tool list that has been read.
    template <class Free>
    void drop_all(Free&& free_block) noexcept {
        for (Block*& first : places_) {
            while (first != nullptr) {
                free_block(std::exchange(first, first->next));
            }
        }
        held_bytes_ = 0;
    }

private:
    struct Block {
        Block* next = nullptr;
    };
    static constexpr std::size_t kStepBytes = 32;

    [[nodiscard]] static constexpr std::size_t place_of(std::size_t size_bytes) noexcept {
        return (size_bytes + kStepBytes - 1) / kStepBytes;
    }
    [[nodiscard]] bool try_put(void* block, std::size_t place) noexcept {
        if (place == 0 || place >= places_.size() || is_full()) {
            return false;
        }
        places_[place] = new (block) Block{.next = places_[place]};
        held_bytes_ += place * kStepBytes;
        return true;
    }

    // Every block at an index is at least that many steps long.
    std::array<Block*, kMaxBlockBytes / kStepBytes + 1> places_ = {};
    std::size_t held_bytes_ = 0;
};

}  // namespace holdfast::main
