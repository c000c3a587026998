#include "platform/log_buffer.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <ostream>
#include <string>

namespace holdfast::platform {
namespace {

class LogBufferTest : public ::testing::Test {
protected:
    void SetUp() override {
        ASSERT_EQ(::pipe2(ends_.data(), O_CLOEXEC), 0);
        ASSERT_EQ(::fcntl(ends_[0], F_SETFL, O_NONBLOCK), 0);
    }
    void TearDown() override {
        ::close(ends_[0]);
        ::close(ends_[1]);
    }
    [[nodiscard]] int written_end() const { return ends_[1]; }
    /// All that is in the pipe.
    [[nodiscard]] std::string taken() const {
        std::string text;
        std::array<char, 65'536> block{};
        for (ssize_t count = 1; count > 0;) {
            count = ::read(ends_[0], block.data(), block.size());
            text.append(block.data(), count > 0 ? static_cast<std::size_t>(count) : 0);
        }
        return text;
    }

private:
    std::array<int, 2> ends_{-1, -1};
};

TEST_F(LogBufferTest, WritesAtOnce) {
    LogBuffer buffer{written_end()};
    std::ostream log{&buffer};

    log << "one line" << '\n';
    EXPECT_EQ(taken(), "one line\n");
    const std::string long_line(10'000, 'x');
    log << long_line;
    EXPECT_EQ(taken(), long_line);
}

TEST_F(LogBufferTest, DropsLinesThatDoNotFitAndReportsThemLater) {
    LogBuffer buffer{written_end()};
    std::ostream log{&buffer};
    const std::string line = std::string(999, 'x') + "\n";
    constexpr std::size_t kLines = 1'000;  // far more than a pipe takes

    for (std::size_t count = 0; count < kLines; ++count) {
        log << line;
    }
    EXPECT_TRUE(log.good());
    const std::size_t kept = taken().size() / line.size();
    ASSERT_LT(kept, kLines);
    log << "there is room\n";

    EXPECT_EQ(taken(), "holdfast: dropped " + std::to_string(kLines - kept) +
                           " log lines, which could not be written in time\nthere is room\n");
}

}  // namespace
}  // namespace holdfast::platform
