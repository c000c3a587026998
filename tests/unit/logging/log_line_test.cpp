#include "logging/log_line.hpp"

#include <array>
#include <string>

#include <gtest/gtest.h>

namespace holdfast::logging {
namespace {

constexpr std::int64_t kLineTime = 1'794'910'500'123;  // 2026-11-17T10:15:00.123Z

const std::array<LogField, 2> kFields{LogField{"circuit", "search"}, LogField{"open_ms", 30'000}};
const LogRecord kRecord{.at_ms = kLineTime,
                        .level = LogLevel::warn,
                        .event = "circuit_opened",
                        .message = "circuit \"search\" opened for 30 s",
                        .fields = kFields};

TEST(LogLineTest, TextHasTimeLevelAndMessage) {
    EXPECT_EQ(log_line(kRecord, {}),
              "2026-11-17T10:15:00.123Z warn circuit \"search\" opened for 30 s\n");
}

TEST(LogLineTest, JsonHasTheFieldsToo) {
    EXPECT_EQ(log_line(kRecord, {.format = LogFormat::json}),
              R"({"time":"2026-11-17T10:15:00.123Z","level":"warn","event":"circuit_opened",)"
              R"("message":"circuit \"search\" opened for 30 s","circuit":"search",)"
              R"("open_ms":30000})"
              "\n");
}

TEST(LogLineTest, TheJournalGetsAPriorityAndNoTime) {
    EXPECT_EQ(log_line(kRecord, {.is_journal = true}), "<4>circuit \"search\" opened for 30 s\n");
    EXPECT_EQ(log_line({.level = LogLevel::error, .message = "a"}, {.is_journal = true}), "<3>a\n");
    EXPECT_EQ(log_line({.level = LogLevel::info, .message = "a"}, {.is_journal = true}), "<6>a\n");
    EXPECT_EQ(log_line({.level = LogLevel::debug, .message = "a"}, {.is_journal = true}), "<7>a\n");
    EXPECT_TRUE(
        log_line(kRecord, {.format = LogFormat::json, .is_journal = true}).starts_with("<4>{\""));
}

TEST(LogLineTest, TheJournalGetsNoColours) {
    EXPECT_EQ(log_line({.level = LogLevel::warn, .message = "a"},
                       {.is_journal = true, .has_colour = true}),
              "<4>a\n");
}

TEST(LogLineTest, ATerminalGetsAColouredLevel) {
    EXPECT_EQ(log_line(kRecord, {.has_colour = true}),
              "2026-11-17T10:15:00.123Z \x1b[33mwarn\x1b[0m circuit \"search\" opened for 30 s\n");
}

TEST(LogLineTest, JsonIsNeverColoured) {
    EXPECT_EQ(log_line(kRecord, {.format = LogFormat::json, .has_colour = true}),
              log_line(kRecord, {.format = LogFormat::json}));
}

TEST(LogLineTest, PlainTextIsThatOfACommand) {
    EXPECT_EQ(log_line({.level = LogLevel::error, .message = "a"}, {.format = LogFormat::plain}),
              "holdfast: a\n");
    EXPECT_EQ(log_line({.level = LogLevel::warn, .message = "a"}, {.format = LogFormat::plain}),
              "holdfast: warning: a\n");
}

TEST(LogLineTest, AMessageStaysOnItsLineAndCannotSteerATerminal) {
    const LogRecord hostile{.at_ms = kLineTime, .message = "bad\x1b[31m\nnext \xC2\x9B"};

    EXPECT_EQ(log_line(hostile, {}), "2026-11-17T10:15:00.123Z info bad?[31m next ?\n");
    EXPECT_EQ(log_line(hostile, {.is_journal = true}), "<6>bad?[31m next ?\n");
    EXPECT_EQ(log_line(hostile, {.format = LogFormat::json}).find('\n'),
              log_line(hostile, {.format = LogFormat::json}).size() - 1);
}

TEST(LogLevelTest, IsReadByItsName) {
    for (const LogLevel level :
         {LogLevel::error, LogLevel::warn, LogLevel::info, LogLevel::debug}) {
        EXPECT_EQ(parsed_log_level(text_of(level)), level);
    }
    EXPECT_EQ(parsed_log_level("loud"), std::nullopt);
    EXPECT_EQ(parsed_log_level(""), std::nullopt);
}

}  // namespace
}  // namespace holdfast::logging
