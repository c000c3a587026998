#include "platform/write_all.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <string>
#include <thread>

#include "platform/unique_fd.hpp"

namespace holdfast::platform {
namespace {

TEST(WriteAllTest, WaitsForTheReaderOfANonBlockingPipe) {
    std::array<int, 2> ends{};
    ASSERT_EQ(::pipe2(ends.data(), O_CLOEXEC), 0);
    const UniqueFd reader{ends[0]};
    UniqueFd writer{ends[1]};
    ASSERT_EQ(::fcntl(writer.get(), F_SETFL, O_NONBLOCK), 0);
    const std::string sent(1'000'000, 'x');
    std::string received;
    std::thread reading{[&] {
        std::array<char, 4096> piece{};
        for (ssize_t size = 1; size > 0;) {
            size = ::read(reader.get(), piece.data(), piece.size());
            received.append(piece.data(), static_cast<std::size_t>(std::max<ssize_t>(size, 0)));
        }
    }};

    const bool is_written = write_all(writer.get(), sent);
    writer.reset();
    reading.join();

    EXPECT_TRUE(is_written);
    EXPECT_EQ(received, sent);
}

}  // namespace
}  // namespace holdfast::platform
