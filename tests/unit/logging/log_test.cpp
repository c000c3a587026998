#include "logging/log.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <sstream>
#include <string>

#include <gtest/gtest.h>

#include "platform/log_buffer.hpp"

namespace holdfast::logging {
namespace {

constexpr std::int64_t kTime = 1'794'910'500'123;  // 2026-11-17T10:15:00.123Z

TEST(LogTest, WritesWhatItsLevelAllows) {
    std::ostringstream out;
    const Log log{out, {.level = LogLevel::warn}, [] { return kTime; }};

    log.error("a", {}, "one {}", 1);
    log.warn("b", {}, "two");
    log.info("c", {}, "three");
    log.debug("d", {}, "four");

    EXPECT_EQ(out.str(),
              "2026-11-17T10:15:00.123Z error one 1\n"
              "2026-11-17T10:15:00.123Z warn two\n");
    EXPECT_TRUE(log.is_on(LogLevel::warn));
    EXPECT_FALSE(log.is_on(LogLevel::info));
}

TEST(LogTest, ReadsTheClockForEachLine) {
    std::ostringstream out;
    std::int64_t now = 0;
    const Log log{out, {.level = LogLevel::debug}, [&now] { return now; }};

    log.info("a", {}, "one");
    now = 1'000;
    log.debug("a", {}, "two");

    EXPECT_EQ(out.str(), "1970-01-01T00:00:00.000Z info one\n1970-01-01T00:00:01.000Z debug two\n");
}

TEST(LogTest, GivesFieldsToJson) {
    std::ostringstream out;
    const Log log{out, {.format = LogFormat::json}, [] { return kTime; }};
    const std::string name = "a \"b\"";

    log.info("event", {{"name", name}, {"count", std::size_t{3}}}, "found {} of \"{}\"", 3, name);

    EXPECT_EQ(out.str(), R"({"time":"2026-11-17T10:15:00.123Z","level":"info","event":"event",)"
                         R"("message":"found 3 of \"a \"b\"\"","name":"a \"b\"","count":3})"
                         "\n");
}

TEST(LogTest, ReportsDroppedLinesInItsOwnFormat) {
    std::array<int, 2> ends{-1, -1};
    ASSERT_EQ(::pipe2(ends.data(), O_CLOEXEC | O_NONBLOCK), 0);
    platform::LogBuffer buffer{ends[1]};
    std::ostream out{&buffer};
    const Log log{out, {.format = LogFormat::json}, [] { return kTime; }};
    std::array<char, 65'536> block{};
    const std::string text(1'000, 'x');

    for (int line = 0; line < 1'000; ++line) {
        log.info("fill", {}, "{}", text);
    }
    while (::read(ends[0], block.data(), block.size()) > 0) {
    }
    log.info("next", {}, "there is space");
    const ssize_t size = ::read(ends[0], block.data(), block.size());

    ASSERT_GT(size, 0);
    const std::string written{block.data(), static_cast<std::size_t>(size)};
    EXPECT_TRUE(written.starts_with(
        R"({"time":"2026-11-17T10:15:00.123Z","level":"warn","event":"log_dropped",)"))
        << written;
    ::close(ends[0]);
    ::close(ends[1]);
}

}  // namespace
}  // namespace holdfast::logging
