#include "net/http/wire/header_line.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <random>
#include <string>

#include "base/http_token.hpp"

namespace holdfast::net {
namespace {

struct Outcome {
    HeaderLineFault fault = HeaderLineFault::none;
    std::string name = {};
    std::string value = {};
    std::string rest = {};

    friend bool operator==(const Outcome&, const Outcome&) = default;
};

Outcome taken(std::string_view text) {
    const HeaderLine line = take_header_line(text);
    EXPECT_EQ(line.fault == HeaderLineFault::none ? known_header(line.header.name) : line.known,
              line.known);
    if (line.fault != HeaderLineFault::none) {
        return {.fault = line.fault, .rest = std::string{text}};
    }
    return {.name = std::string{line.header.name},
            .value = std::string{line.header.value},
            .rest = std::string{text}};
}

/// The same in several passes: find the line, then the colon, then check both sides.
Outcome naive(std::string_view text) {
    const std::size_t end = text.find('\n');
    const bool has_line_end = end > 0 && text[end - 1] == '\r';
    const std::string_view line = text.substr(0, has_line_end ? end - 1 : end);
    const std::size_t colon = line.find(':');
    if (colon == std::string_view::npos || !base::is_token(line.substr(0, colon))) {
        return {.fault = HeaderLineFault::name, .rest = std::string{text}};
    }
    const std::string_view value = base::trimmed_value(line.substr(colon + 1));
    if (!has_line_end || !base::is_header_value(value)) {
        return {.fault = HeaderLineFault::value, .rest = std::string{text}};
    }
    return {.name = std::string{line.substr(0, colon)},
            .value = std::string{value},
            .rest = std::string{text.substr(end + 1)}};
}

TEST(HeaderLineTest, SplitsALineAndKeepsTheRest) {
    EXPECT_EQ(taken("X-Y: \t a b\t \r\nZ: c\r\n"),
              (Outcome{.name = "X-Y", .value = "a b", .rest = "Z: c\r\n"}));
    EXPECT_EQ(taken("a:\r\n"), (Outcome{.name = "a"}));
    EXPECT_EQ(taken("a: \t\r\n"), (Outcome{.name = "a"}));
    EXPECT_EQ(taken("a:b:c\r\n"), (Outcome{.name = "a", .value = "b:c"}));
}

TEST(HeaderLineTest, AgreesWithTheNaiveParserOnRandomLines) {
    constexpr std::uint32_t kSeed = 20260728;
    constexpr int kLines = 200'000;
    constexpr std::string_view kAlphabet{
        "aaaaaaaaaaaaZZZ999---::      \t\t\r\n(\x01\x1f\x7f\x80\xa0\xff"};
    std::mt19937 random{kSeed};
    int accepted = 0;
    for (int count = 0; count < kLines; ++count) {
        std::string text;
        const std::size_t size = random() % 25;
        for (std::size_t index = 0; index < size; ++index) {
            text += kAlphabet[random() % kAlphabet.size()];
        }
        text.insert(0, random() % 2 == 0 ? "a:" : "");
        text += random() % 4 != 0 ? "\r\n" : "\n";

        const Outcome outcome = taken(text);

        ASSERT_EQ(outcome, naive(text)) << "seed " << kSeed << ", line " << count;
        accepted += outcome.fault == HeaderLineFault::none ? 1 : 0;
    }
    EXPECT_GT(accepted, kLines / 100);
}

}  // namespace
}  // namespace holdfast::net
