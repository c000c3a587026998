// The memory of the program: new and delete with a cache per thread. Asio allocates coroutine
// frames by std::aligned_alloc and frees them by std::free; the linker redirects both to this file
// (--wrap) and prescribes the names of these functions.

#include <cstddef>
#include <cstdlib>
#include <new>

#include "main/block_cache.hpp"

namespace {

constinit thread_local holdfast::main::BlockCache thread_blocks;

}  // namespace

// NOLINTBEGIN(bugprone-reserved-identifier, readability-identifier-naming)
extern "C" {
void __real_free(void* block);
void* __real_aligned_alloc(std::size_t alignment, std::size_t size_bytes);
void __wrap_free(void* block);
void* __wrap_aligned_alloc(std::size_t alignment, std::size_t size_bytes);
}

namespace {

void free_unkept(void* block) noexcept {
    if (thread_blocks.is_full()) {
        thread_blocks.drop_all(__real_free);
    }
    __real_free(block);
}

}  // namespace

extern "C" {
void __wrap_free(void* block) {
    if (block != nullptr && !thread_blocks.try_give(block)) {
        free_unkept(block);
    }
}

void* __wrap_aligned_alloc(std::size_t alignment, std::size_t size_bytes) {
    return alignment <= __STDCPP_DEFAULT_NEW_ALIGNMENT__
               ? thread_blocks.take(size_bytes)
               : __real_aligned_alloc(alignment, size_bytes);
}
}

void* operator new(std::size_t size_bytes) {
    void* const block = thread_blocks.take(size_bytes);
    if (block == nullptr) {
        std::abort();  // out of memory ends the process
    }
    return block;
}

void operator delete(void* block) noexcept {
    __wrap_free(block);
}

// Blocks with a size were allocated by the operator above.
void operator delete(void* block, std::size_t size_bytes) noexcept {
    if (block != nullptr && !thread_blocks.try_give(block, size_bytes)) {
        free_unkept(block);
    }
}
// NOLINTEND(bugprone-reserved-identifier, readability-identifier-naming)
