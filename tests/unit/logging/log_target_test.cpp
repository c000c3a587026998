#include "logging/log_target.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <map>
#include <string>

#include <gtest/gtest.h>

namespace holdfast::logging {
namespace {

using Variables = std::map<std::string, std::string>;

Environment environment(Variables variables) {
    return [variables = std::move(variables)](const std::string& name) {
        const auto found = variables.find(name);
        return found == variables.end() ? std::nullopt : std::optional{found->second};
    };
}

/// A pipe stands for the socket of the journal, a pseudo terminal for a terminal.
class LogTargetTest : public testing::Test {
protected:
    void SetUp() override {
        ASSERT_EQ(::pipe2(pipe_.data(), O_CLOEXEC), 0);
        terminal_ = ::posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
        ASSERT_GE(terminal_, 0);
    }
    void TearDown() override {
        ::close(pipe_[0]);
        ::close(pipe_[1]);
        ::close(terminal_);
    }
    [[nodiscard]] LogOptions on_terminal(Variables variables) const {
        return log_options_for(terminal_, {}, environment(std::move(variables)));
    }
    [[nodiscard]] std::string stream_of(int descriptor) const {
        struct stat about{};
        EXPECT_EQ(::fstat(descriptor, &about), 0);
        return std::to_string(about.st_dev) + ":" + std::to_string(about.st_ino);
    }

    std::array<int, 2> pipe_{-1, -1};
    int terminal_ = -1;
};

TEST_F(LogTargetTest, KeepsTheChoice) {
    const LogOptions options = log_options_for(
        pipe_[1], {.level = LogLevel::debug, .format = LogFormat::json}, environment({}));

    EXPECT_EQ(options.level, LogLevel::debug);
    EXPECT_EQ(options.format, LogFormat::json);
}

TEST_F(LogTargetTest, ColoursATerminalUnlessTheUserDoesNotWantIt) {
    EXPECT_TRUE(on_terminal({{"TERM", "xterm"}}).has_colour);
    EXPECT_TRUE(on_terminal({{"TERM", "xterm"}, {"NO_COLOR", ""}}).has_colour);
    EXPECT_FALSE(on_terminal({{"TERM", "xterm"}, {"NO_COLOR", "1"}}).has_colour);
    EXPECT_FALSE(on_terminal({{"TERM", "dumb"}}).has_colour);
}

TEST_F(LogTargetTest, DoesNotColourAPipe) {
    EXPECT_FALSE(log_options_for(pipe_[1], {}, environment({{"TERM", "xterm"}})).has_colour);
}

TEST_F(LogTargetTest, RecognisesTheJournalByDeviceAndInode) {
    const std::string stream = stream_of(pipe_[1]);

    EXPECT_TRUE(
        log_options_for(pipe_[1], {}, environment({{"JOURNAL_STREAM", stream}})).is_journal);
    EXPECT_FALSE(log_options_for(pipe_[1], {}, environment({})).is_journal);
    EXPECT_FALSE(
        log_options_for(pipe_[1], {}, environment({{"JOURNAL_STREAM", stream + "1"}})).is_journal);
    EXPECT_FALSE(
        log_options_for(pipe_[1], {}, environment({{"JOURNAL_STREAM", "rubbish"}})).is_journal);
    EXPECT_FALSE(on_terminal({{"JOURNAL_STREAM", stream}}).is_journal)
        << "standard error was redirected after the journal was set up";
}

TEST_F(LogTargetTest, ADescriptorThatIsClosedIsNotTheJournal) {
    EXPECT_FALSE(log_options_for(-1, {}, environment({{"JOURNAL_STREAM", "0:0"}})).is_journal);
}

}  // namespace
}  // namespace holdfast::logging
