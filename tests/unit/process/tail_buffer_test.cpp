#include "process/tail_buffer.hpp"

#include <gtest/gtest.h>

#include "support/seeds.hpp"

namespace holdfast::process {
namespace {

using Lines = std::vector<std::string>;

TEST(TailBufferTest, KeepsTheLastBytes) {
    TailBuffer tail{5};

    tail.append("abc");
    tail.append("defg");

    EXPECT_EQ(tail.text(), "cdefg");
    EXPECT_EQ(tail.dropped_bytes(), 2U);
}

TEST(TailBufferTest, ReturnsTheLastLines) {
    TailBuffer tail{100};
    tail.append("one\ntwo\r\n\nthree");

    EXPECT_EQ(tail.last_lines(2), (Lines{"", "three"}));
    EXPECT_EQ(tail.last_lines(10), (Lines{"one", "two", "", "three"}));
    EXPECT_EQ(TailBuffer{10}.last_lines(3), Lines{});
}

TEST(TailBufferTest, LinesAreValidUtf8) {
    TailBuffer broken{100};
    broken.append("fatal \xff\xfe!\n");
    EXPECT_EQ(broken.last_lines(1), Lines{"fatal ?\?!"});

    TailBuffer cut{10};  // The first byte of a character is dropped.
    cut.append("caf\xc3\xa9 au lait\n");
    EXPECT_EQ(cut.last_lines(1), Lines{"? au lait"});
}

TEST(TailBufferTest, AgreesWithAPlainString) {
    using resilience::testing::random_between;
    resilience::testing::for_each_seed(1'000, [](std::mt19937_64& generator) {
        const auto limit = random_between<std::size_t>(generator, 0, 20);
        TailBuffer tail{limit};
        std::string all;
        for (int step = 0; step < 20; ++step) {
            const std::string bytes(random_between<std::size_t>(generator, 0, 25),
                                    static_cast<char>('a' + step));
            tail.append(bytes);
            all += bytes;

            const std::size_t kept = std::min(limit, all.size());
            EXPECT_EQ(tail.text(), all.substr(all.size() - kept));
            EXPECT_EQ(tail.dropped_bytes(), all.size() - kept);
        }
    });
}

}  // namespace
}  // namespace holdfast::process
