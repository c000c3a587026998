// The input and output buffers of an HTTP connection.
#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <random>
#include <string>
#include <tuple>
#include <vector>

#include "net/http/server/input_buffer.hpp"
#include "net/http/server/output_queue.hpp"

namespace holdfast::net {
namespace {

void fill(InputBuffer& buffer, std::string_view bytes, std::size_t wanted_bytes = 0) {
    const auto room = buffer.prepare(wanted_bytes);
    ASSERT_GE(room.size(), bytes.size());
    std::memcpy(room.data(), bytes.data(), bytes.size());
    buffer.commit(bytes.size());
}

TEST(InputBufferTest, KeepsUnconsumedBytes) {
    SpareBuffers spare{InputBuffer::kUsualBytes};
    InputBuffer buffer{spare};
    fill(buffer, "abcdef");

    buffer.consume(2);
    fill(buffer, "gh");

    EXPECT_EQ(buffer.view(), "cdefgh");
}

TEST(InputBufferTest, IsFullAtItsUsualSizeUnlessMoreIsWanted) {
    SpareBuffers spare{InputBuffer::kUsualBytes};
    InputBuffer buffer{spare};
    fill(buffer, std::string(InputBuffer::kUsualBytes, 'x'));

    EXPECT_TRUE(buffer.prepare(0).empty());
    EXPECT_EQ(buffer.prepare(3 * InputBuffer::kUsualBytes).size(), 2 * InputBuffer::kUsualBytes);
    EXPECT_EQ(buffer.view(), std::string(InputBuffer::kUsualBytes, 'x'));
}

TEST(InputBufferTest, FreesTheMemoryOfALargeBody) {
    SpareBuffers spare{InputBuffer::kUsualBytes};
    InputBuffer buffer{spare};
    fill(buffer, std::string(50'000, 'x') + "tail", 60'000);
    buffer.consume(50'000);

    std::ignore = buffer.prepare(0);

    EXPECT_EQ(buffer.view(), "tail");
    EXPECT_EQ(buffer.capacity_bytes(), InputBuffer::kUsualBytes);
}

TEST(InputBufferTest, LendsItsMemoryToTheNextBuffer) {
    SpareBuffers spare{InputBuffer::kUsualBytes};
    InputBuffer one{spare};
    InputBuffer other{spare};
    const char* const memory = one.prepare(0).data();

    one.release_if_empty();

    EXPECT_EQ(one.capacity_bytes(), 0U);
    EXPECT_EQ(other.prepare(0).data(), memory);
}

TEST(InputBufferTest, DoesNotLendTheMemoryOfALargeBody) {
    SpareBuffers spare{InputBuffer::kUsualBytes};
    InputBuffer one{spare};
    std::ignore = one.prepare(10 * InputBuffer::kUsualBytes);

    one.release_if_empty();

    InputBuffer other{spare};
    EXPECT_EQ(other.prepare(0).size(), InputBuffer::kUsualBytes);
}

TEST(SpareBuffersTest, KeepsFourBuffersAndFreesTheOthers) {
    SpareBuffers spare{16};
    std::vector<std::unique_ptr<char[]>> first;
    for (int i = 0; i < 5; ++i) {
        first.push_back(spare.take());
    }
    std::vector<char*> kept;
    for (auto& buffer : first) {
        kept.push_back(buffer.get());
        spare.give_back(std::move(buffer));
    }

    std::vector<std::unique_ptr<char[]>> again;
    for (int i = 0; i < 4; ++i) {
        again.push_back(spare.take());
        EXPECT_EQ(again.back().get(), kept[static_cast<std::size_t>(3 - i)]);
    }
}

TEST(OutputQueueTest, SkipsWrittenBytes) {
    OutputQueue queue;
    queue.push("abc", 3);
    EXPECT_TRUE(queue.is_empty());

    queue.push("abc", 1);
    queue.push("defg", 2);

    EXPECT_EQ(queue.size_bytes(), 4U);
    EXPECT_EQ(queue.front(), "bc");
    queue.consume(2);
    EXPECT_EQ(queue.front(), "fg");
}

TEST(OutputQueueTest, ReturnsExactlyWhatWasPushed) {
    constexpr int kSeeds = 200;
    for (unsigned seed = 0; seed < kSeeds; ++seed) {
        SCOPED_TRACE(seed);
        std::mt19937 random{seed};
        OutputQueue queue;
        std::string pushed;
        std::string taken;
        for (int step = 0; step < 200; ++step) {
            if (random() % 2 == 0) {
                const std::string bytes(random() % (step % 10 == 0 ? 20'000 : 50),
                                        static_cast<char>('a' + step % 26));
                const std::size_t skipped = random() % (bytes.size() + 1);
                pushed.append(bytes, skipped);
                queue.push(bytes, skipped);
            } else if (!queue.is_empty()) {
                const std::size_t count = random() % queue.front().size() + 1;
                taken.append(queue.front().substr(0, count));
                queue.consume(count);
            }
            ASSERT_EQ(queue.size_bytes(), pushed.size() - taken.size());
        }
        while (!queue.is_empty()) {
            taken.append(queue.front());
            queue.consume(queue.front().size());
        }
        EXPECT_EQ(taken, pushed);
    }
}

}  // namespace
}  // namespace holdfast::net
