#include "base/glob.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace holdfast::base {
namespace {

struct GlobRow {
    std::string_view pattern;
    std::string_view text;
    bool matches;
};

TEST(GlobTest, MatchesTheWholeText) {
    const std::vector<GlobRow> rows = {
        {"code.cypher", "code.cypher", true},
        {"code.cypher", "code.cypher2", false},
        {"code.cypher", "code.Cypher", false},
        {"*", "", true},
        {"*", "a.b", true},
        {"", "", true},
        {"", "a", false},
        {"*.search*", "docs.search", true},
        {"*.search*", "docs.search_all", true},
        {"*.search*", "search", false},
        {"code.*", "code.", true},
        {"code.*", "coder.x", false},
        {"a*b*c", "aXbYc", true},
        {"a*b*c", "aXbY", false},
        {"*ab", "aab", true},
        {"?.t", "s.t", true},
        {"?", "", false},
        {"**", "x", true},
        {"a?c", "abc", true},
        {"a?c", "ac", false},
    };

    for (const GlobRow& row : rows) {
        EXPECT_EQ(glob_matches(row.pattern, row.text), row.matches)
            << row.pattern << " and " << row.text;
    }
}

TEST(GlobTest, TakesPolynomialTimeForAHostilePattern) {
    std::string pattern;
    for (int count = 0; count < 100; ++count) {
        pattern += "*a";
    }

    EXPECT_FALSE(glob_matches(pattern + "b", std::string(5'000, 'a')));
}

}  // namespace
}  // namespace holdfast::base
