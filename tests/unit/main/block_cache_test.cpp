#include "main/block_cache.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <vector>

namespace holdfast::main {
namespace {

// Frees what the cache does not keep, and at the end of a test what it does.
class BlockCacheTest : public testing::Test {
protected:
    ~BlockCacheTest() override {
        for (std::size_t size = 1; size <= BlockCache::kMaxBlockBytes; ++size) {
            std::size_t before = cache_.held_bytes();
            while (before > 0) {
                void* const block = cache_.take(size);
                const bool was_held = cache_.held_bytes() < before;
                std::free(block);
                before = was_held ? cache_.held_bytes() : 0;
            }
        }
    }

    void give(void* block) {
        if (!cache_.try_give(block)) {
            std::free(block);
        }
    }

    BlockCache cache_;
};

TEST_F(BlockCacheTest, HandsOutABlockAgainThatWasGiven) {
    void* const block = cache_.take(1500);
    give(block);

    void* const again = cache_.take(1500);

    EXPECT_EQ(again, block);
    EXPECT_EQ(cache_.held_bytes(), 0U);
    std::free(again);
}

TEST_F(BlockCacheTest, HasRoomForWhatIsAskedWhateverWasGiven) {
    for (std::size_t given = 1; given <= BlockCache::kMaxBlockBytes; given += 7) {
        give(std::malloc(given));
        for (std::size_t wanted = 1; wanted <= given + 64; wanted += 13) {
            void* const block = cache_.take(wanted);
            ASSERT_GE(::malloc_usable_size(block), wanted);
            std::memset(block, 0x5a, wanted);
            give(block);
        }
    }
}

TEST_F(BlockCacheTest, HasRoomForWhatIsAskedOfABlockWhoseSizeIsKnown) {
    for (std::size_t given = 0; given <= BlockCache::kMaxBlockBytes + 64; given += 7) {
        void* const first = cache_.take(given);
        if (!cache_.try_give(first, given)) {
            std::free(first);
        }
        for (std::size_t wanted = 1; wanted <= given + 64; wanted += 13) {
            void* const block = cache_.take(wanted);
            ASSERT_GE(::malloc_usable_size(block), wanted);
            std::memset(block, 0x5a, wanted);
            if (!cache_.try_give(block, wanted)) {
                std::free(block);
            }
        }
    }
}

TEST_F(BlockCacheTest, KeepsNoLargeBlock) {
    void* const block = cache_.take(BlockCache::kMaxBlockBytes * 2);

    EXPECT_FALSE(cache_.try_give(block));
    EXPECT_EQ(cache_.held_bytes(), 0U);
    std::free(block);
}

TEST_F(BlockCacheTest, HoldsNoMoreThanItsLimit) {
    constexpr std::size_t kBlockBytes = 4000;
    const std::size_t count = 2 * BlockCache::kMaxHeldBytes / kBlockBytes;
    std::vector<void*> blocks;
    blocks.reserve(count);
    for (std::size_t index = 0; index < count; ++index) {
        blocks.push_back(cache_.take(kBlockBytes));
    }

    for (void* block : blocks) {
        give(block);
    }

    EXPECT_GE(cache_.held_bytes(), BlockCache::kMaxHeldBytes);
    EXPECT_LT(cache_.held_bytes(), BlockCache::kMaxHeldBytes + BlockCache::kMaxBlockBytes);
}

TEST_F(BlockCacheTest, HasRoomForOtherSizesOnceAllIsDropped) {
    std::vector<void*> blocks;
    for (std::size_t held = 0; held < 2 * BlockCache::kMaxHeldBytes; held += 4000) {
        blocks.push_back(cache_.take(4000));
    }
    for (void* block : blocks) {
        give(block);
    }
    ASSERT_TRUE(cache_.is_full());
    void* const other = cache_.take(100);
    ASSERT_FALSE(cache_.try_give(other));

    std::size_t freed_bytes = 0;
    cache_.drop_all([&freed_bytes](void* block) {
        freed_bytes += ::malloc_usable_size(block);
        std::free(block);
    });

    EXPECT_GE(freed_bytes, BlockCache::kMaxHeldBytes);
    EXPECT_EQ(cache_.held_bytes(), 0U);
    EXPECT_TRUE(cache_.try_give(other));
    EXPECT_EQ(cache_.take(100), other);
    std::free(other);
}

TEST_F(BlockCacheTest, TakesABlockOfNoBytes) {
    void* const block = cache_.take(0);

    EXPECT_NE(block, nullptr);
    std::free(block);
}

}  // namespace
}  // namespace holdfast::main
