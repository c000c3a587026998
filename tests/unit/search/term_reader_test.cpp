#include "search/term_reader.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace holdfast::search {
namespace {

using Terms = std::vector<std::string>;

Terms terms_of(std::string_view text, const TextLimits& limits = {}) {
    TermReader reader;
    return reader.terms(text, limits);
}

TEST(TermReaderTest, SplitsIdentifiers) {
    EXPECT_EQ(terms_of("fooBar_baz-qux"), (Terms{"foo", "bar", "baz", "qux"}));
    EXPECT_EQ(terms_of("HTTPServer v2Token"), (Terms{"http", "server", "v2", "token"}));
    EXPECT_EQ(terms_of("/v1/whois"), (Terms{"v1", "whoi"}));
}

TEST(TermReaderTest, ReducesWordsToTheirStem) {
    EXPECT_EQ(terms_of("Running weather forecasts"), (Terms{"run", "weather", "forecast"}));
}

TEST(TermReaderTest, DropsCommonWords) {
    EXPECT_EQ(terms_of("What is the weather? I'd like it, please; don't you"), (Terms{"weather"}));
}

TEST(TermReaderTest, DropsAccentsAndKeepsOtherScripts) {
    EXPECT_EQ(terms_of("caf\u00E9 \u00DCBER"), (Terms{"cafe", "uber"}));
    EXPECT_EQ(terms_of("\u041F\u043E\u0433\u043E\u0434\u0430"),
              (Terms{"\u043F\u043E\u0433\u043E\u0434\u0430"}));
}

TEST(TermReaderTest, TreatsEachIdeographAsATerm) {
    EXPECT_EQ(terms_of("\u5929\u6C14api"), (Terms{"\u5929", "\u6C14", "api"}));
}

TEST(TermReaderTest, TreatsInvalidBytesAndControlCharactersAsSeparators) {
    EXPECT_EQ(terms_of("send\xFF\xFEmail"), (Terms{"send", "mail"}));
    EXPECT_EQ(terms_of(std::string_view{"send\0mail\x07now", 13}), (Terms{"send", "mail", "now"}));
    EXPECT_EQ(terms_of("mail\xE4\xBD"), (Terms{"mail"}));
}

TEST(TermReaderTest, ReadsNoMoreThanItsLimits) {
    EXPECT_EQ(terms_of("send mail now", {.max_bytes = 9}), (Terms{"send", "mail"}));
    EXPECT_EQ(terms_of("send mail now", {.max_terms = 1}), (Terms{"send"}));
    EXPECT_EQ(terms_of("zzzzzzzzzz", {.max_term_bytes = 4}), (Terms{"zzzz"}));
}

TEST(TermReaderTest, LimitsAHugeText) {
    const std::string huge(10'000'000, 'x');

    const Terms terms = terms_of(huge);

    ASSERT_EQ(terms.size(), 1U);
    EXPECT_EQ(terms.front().size(), TextLimits{}.max_term_bytes);
}

}  // namespace
}  // namespace holdfast::search
