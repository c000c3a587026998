#include "net/http_message.hpp"

#include <gtest/gtest.h>

#include <string>

#include "base/letter_case.hpp"

namespace holdfast::net {
namespace {

std::string upper_case(std::string_view text) {
    std::string result{text};
    for (char& letter : result) {
        letter = letter >= 'a' && letter <= 'z' ? static_cast<char>(letter - 'a' + 'A') : letter;
    }
    return result;
}

TEST(KnownHeaderTest, RecognisesEachNameInAnyCase) {
    for (std::size_t index = 0; index < kKnownHeaderCount; ++index) {
        const auto known = static_cast<KnownHeader>(index);
        const std::string name{kKnownHeaderNames[index]};
        std::string title = name;
        title.front() = upper_case(name).front();

        EXPECT_EQ(known_header(name), known) << name;
        EXPECT_EQ(known_header(upper_case(name)), known) << name;
        EXPECT_EQ(known_header(title), known) << name;
    }
}

TEST(KnownHeaderTest, RecognisesNoOtherName) {
    for (const std::string_view name : kKnownHeaderNames) {
        for (std::size_t place = 0; place < name.size(); ++place) {
            for (int code = 0; code < 256; ++code) {
                std::string changed{name};
                changed[place] = static_cast<char>(code);
                const bool is_same = base::equals_ignoring_case(changed, name);
                EXPECT_EQ(known_header(changed) != KnownHeader::none, is_same) << changed;
            }
        }
        EXPECT_EQ(known_header(name.substr(1)), KnownHeader::none) << name;
        EXPECT_EQ(known_header(std::string{name} + "s"), KnownHeader::none) << name;
    }
    EXPECT_EQ(known_header(""), KnownHeader::none);
    EXPECT_EQ(known_header(std::string(5000, 'a')), KnownHeader::none);
}

TEST(KnownHeaderTest, RecognisesLiteralsAtCompileTime) {
    static_assert(HeaderName{"MCP-Protocol-Version"}.known() == KnownHeader::mcp_protocol_version);
    static_assert(HeaderName{"X-Other"}.known() == KnownHeader::none);

    EXPECT_EQ(HeaderName{std::string{"Mcp-Name"}}.known(), KnownHeader::mcp_name);
    EXPECT_EQ(HeaderName{std::string_view{"x-other"}}.known(), KnownHeader::none);
}

TEST(HttpHeadersTest, FindsTheFirstValueOfAName) {
    HttpHeaders headers;
    headers.add("ACCEPT", "first");
    headers.add("X-Mark", "a");
    headers.add("accept", "second");
    headers.add("x-mark", "b");

    EXPECT_EQ(headers.find("Accept"), "first");
    EXPECT_EQ(headers.find("x-MARK"), "a");
    EXPECT_EQ(headers.find(std::string_view{"aCCEPT"}), "first");
    EXPECT_EQ(headers.find(std::string{"X-mark"}), "a");
    EXPECT_EQ(headers.find("Origin"), std::nullopt);
    EXPECT_EQ(headers.find("X-Other"), std::nullopt);
    EXPECT_EQ(headers.count("Accept"), 2U);
    EXPECT_EQ(headers.count("x-mark"), 2U);
}

TEST(HttpHeadersTest, ForgetsEverythingWhenCleared) {
    HttpHeaders headers;
    headers.add("Host", "h");

    headers.clear();

    EXPECT_EQ(headers.find("Host"), std::nullopt);
    EXPECT_TRUE(headers.lines().empty());
    headers.add("Host", "other");
    EXPECT_EQ(headers.find("Host"), "other");
}

}  // namespace
}  // namespace holdfast::net
