#pragma once

#include <malloc.h>

#include <array>
#include <cstddef>
#include <cstdlib>
#include <new>
#include <utility>

namespace holdfast::main {

/// Blocks of memory that one thread has freed and will soon want again, sorted by their sizes. A
/// call through the gateway takes some thirty blocks and frees them all, and dozens of calls are
/// under way at a time: more than the cache of the C library is made for, which holds seven blocks
/// of a size and none over a kilobyte.
///
/// All blocks are those of malloc. So any block may be given, whoever took it, and what is not kept
/// is freed as usual. There is no destructor, since a thread frees memory to its very end; what is
/// held then is lost. It is for threads that live as long as the process.
///
/// Thread-safety: none; each thread has its own.
class BlockCache final {
public:
    static constexpr std::size_t kMaxBlockBytes = std::size_t{16} * 1024;
    static constexpr std::size_t kMaxHeldBytes = std::size_t{1024} * 1024;

    /// Null for want of memory.
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

    /// False if it does not keep the block, which the caller then frees.
    [[nodiscard]] bool try_give(void* block) noexcept {
        return try_put(block, ::malloc_usable_size(block) / kStepBytes);
    }
    /// The same for a block that some thread's cache gave for this size.
    [[nodiscard]] bool try_give(void* block, std::size_t size_bytes) noexcept {
        return try_put(block, place_of(size_bytes));
    }

    [[nodiscard]] std::size_t held_bytes() const noexcept { return held_bytes_; }
    [[nodiscard]] bool is_full() const noexcept { return held_bytes_ >= kMaxHeldBytes; }

    /// Frees all that it holds. For one that is full: of sizes, that is, which nobody wants any
    /// more, such as those of a list of tools that was read and is done with.
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

    // Every block in a place has room for at least that many steps.
    std::array<Block*, kMaxBlockBytes / kStepBytes + 1> places_ = {};
    std::size_t held_bytes_ = 0;
};

}  // namespace holdfast::main
