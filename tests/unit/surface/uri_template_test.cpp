#include "surface/uri_template.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace holdfast::surface {
namespace {

struct MatchCase {
    std::string_view uri;
    std::string_view uri_template;
    bool matches;
};

TEST(UriTemplateTest, MatchesTheFormsOfTheStandard) {
    for (const auto& [uri, uri_template, matches] : std::vector<MatchCase>{
             {"file:///a", "file:///a", true},
             {"file:///a", "file:///b", false},
             {"file:///ab", "file:///a", false},
             {"note://7", "note://{id}", true},
             {"note://", "note://{id}", false},
             {"note://7/8", "note://{id}", false},
             {"note://7/8", "note://{a}/{b}", true},
             {"note://7/", "note://{a}/{b}", false},
             {"file:///a/b.txt", "file:///{+path}", true},
             {"file:///", "file:///{+path}", true},
             {"file:///a/b", "file://{/path*}", true},
             {"file:///a/b", "file:///{path*}", true},
             {"find://x?q=1", "find://x{?q}", true},
             {"find://x", "find://x{?q}", true},
             {"find://x?q=1&r=2", "find://{what}{?q,r}", true},
             {"doc://a#part", "doc://a{#part}", true},
             {"doc://a.txt", "doc://{name}.txt", true},
             {"doc://a.md", "doc://{name}.txt", false},
             {"doc://.txt", "doc://{name}.txt", false},
         }) {
        EXPECT_EQ(matches_template(uri, uri_template), matches) << uri << " of " << uri_template;
    }
}

TEST(UriTemplateTest, MatchesTheLastLiteralPartAtTheEnd) {
    EXPECT_TRUE(matches_template("doc://a.txt.txt", "doc://{name}.txt"));
    EXPECT_FALSE(matches_template("doc://a.txt.md", "doc://{name}.txt"));
}

TEST(UriTemplateTest, GivesAVariableAtLeastOneCharacter) {
    EXPECT_TRUE(matches_template("x:--1", "x:{a}-{b}"));
    EXPECT_FALSE(matches_template("x:-1", "x:{a}-{b}"));
}

TEST(UriTemplateTest, MatchesNothingIfTheTemplateIsInvalid) {
    EXPECT_FALSE(matches_template("a", "{a"));
    EXPECT_FALSE(matches_template("a{a", "a{a"));
    EXPECT_FALSE(matches_template("", "{}"));
    EXPECT_TRUE(matches_template("", ""));
}

TEST(UriTemplateTest, AcceptsTemplatesOfAnyLength) {
    std::string uri_template;
    for (int count = 0; count < 300'000; ++count) {
        uri_template += "{+a}";
    }

    EXPECT_TRUE(matches_template(std::string(100'000, 'a'), uri_template));
    EXPECT_FALSE(matches_template(std::string(100'000, 'a'), uri_template + "b"));
}

TEST(UriTemplateTest, KnowsWhichTemplatesHaveALiteralBeginning) {
    for (const std::string_view literal :
         {"test://template/{id}/data", "demo://resource/{id}", "note:///internal/{+path}",
          "urn:isbn:{number}", "db://rows{?page}", "mem:all", "x:/s/{i}"}) {
        EXPECT_TRUE(has_literal_beginning(literal)) << literal;
    }
    for (const std::string_view open :
         {"{+u}", "{scheme}://host/x", "file:///{+path}", "repo://{owner}/{name}", "mem:{id}",
          "db://row{id}/x", "x{y}:a", ":a", "a/b:c", "x:", "x://", "", "plain"}) {
        EXPECT_FALSE(has_literal_beginning(open)) << open;
    }
}

TEST(UriTemplateTest, DoesNotBacktrack) {
    std::string uri_template;
    for (int count = 0; count < 2'000; ++count) {
        uri_template += "{+a}a";
    }

    EXPECT_FALSE(matches_template(std::string(20'000, 'a') + "c", uri_template + "b"));
}

}  // namespace
}  // namespace holdfast::surface
