#include "platform/output_buffer.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <ostream>
#include <string>

#include "platform/unique_fd.hpp"

namespace holdfast::platform {
namespace {

TEST(OutputBufferTest, WritesWhatIsFlushed) {
    std::array<int, 2> ends{};
    ASSERT_EQ(::pipe2(ends.data(), O_CLOEXEC), 0);
    const UniqueFd reader{ends[0]};
    const UniqueFd writer{ends[1]};
    OutputBuffer buffer{ends[1]};
    std::ostream out{&buffer};

    out << "one " << 1 << '\n' << std::flush;

    std::array<char, 16> read{};
    EXPECT_EQ(::read(ends[0], read.data(), read.size()), 6);
    EXPECT_EQ(std::string(read.data(), 6), "one 1\n");
    EXPECT_TRUE(out.good());
    EXPECT_EQ(buffer.error(), 0);
}

TEST(OutputBufferTest, RemembersTheErrorOfAFullDevice) {
    const UniqueFd full{::open("/dev/full", O_WRONLY | O_CLOEXEC)};
    ASSERT_GE(full.get(), 0);
    OutputBuffer buffer{full.get()};
    std::ostream out{&buffer};

    out << "text";
    EXPECT_TRUE(out.good());
    out << std::flush;

    EXPECT_FALSE(out.good());
    EXPECT_EQ(buffer.error(), ENOSPC);
}

TEST(OutputBufferTest, KeepsNoMoreThanALimit) {
    const UniqueFd full{::open("/dev/full", O_WRONLY | O_CLOEXEC)};
    ASSERT_GE(full.get(), 0);
    OutputBuffer buffer{full.get()};
    std::ostream out{&buffer};

    out << std::string(1'000'000, 'x');

    EXPECT_FALSE(out.good());
    EXPECT_EQ(buffer.error(), ENOSPC);
}

}  // namespace
}  // namespace holdfast::platform
