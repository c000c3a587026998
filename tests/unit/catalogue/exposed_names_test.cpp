#include "catalogue/exposed_names.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>
#include <string>
#include <vector>

namespace holdfast::catalogue {
namespace {

using Originals = std::vector<OriginalName>;
using Names = std::vector<std::string>;

Names shown_names(Originals originals, bool has_prefix, const Names& reserved = {}) {
    for (OriginalName& original : originals) {
        original.has_prefix = has_prefix;
    }
    return exposed_names(originals, reserved);
}

TEST(ExposedNamesTest, ASingleDownstreamKeepsItsNames) {
    EXPECT_FALSE(needs_prefix(Prefixing::automatic, 1));
    EXPECT_EQ(shown_names(Originals{{"code", "search"}, {"code", "read-file_2"}}, false),
              (Names{"search", "read-file_2"}));
}

TEST(ExposedNamesTest, SeveralDownstreamsGetTheirKeyAsPrefix) {
    EXPECT_TRUE(needs_prefix(Prefixing::automatic, 2));
    EXPECT_FALSE(needs_prefix(Prefixing::never, 2));
    EXPECT_TRUE(needs_prefix(Prefixing::always, 1));
    EXPECT_EQ(shown_names(Originals{{"code", "search"}, {"docs", "search"}}, true),
              (Names{"code__search", "docs__search"}));
}

TEST(ExposedNamesTest, AChangedNameDoesNotDependOnOtherItems) {
    const OriginalName dotted{"docs", "find.all"};
    const auto alone = shown_names(Originals{dotted}, true);
    const auto among_others = shown_names(
        Originals{{"docs", "find_all"}, {"a", "b"}, dotted, {"docs", "find-all"}}, true);

    EXPECT_TRUE(alone[0].starts_with("docs__find_all_")) << alone[0];
    EXPECT_EQ(among_others[2], alone[0]);
    EXPECT_EQ(among_others[0], "docs__find_all");
}

TEST(ExposedNamesTest, HashesAreTheSameInEveryVersion) {
    EXPECT_EQ(shown_names(Originals{{"docs", "find.all"}}, true)[0], "docs__find_all_146034dd");
}

TEST(ExposedNamesTest, TheFirstOfEqualNamesKeepsIt) {
    const auto names = shown_names(Originals{{"a", "b__c"}, {"a__b", "c"}}, true);

    EXPECT_EQ(names[0], "a__b__c");
    EXPECT_TRUE(names[1].starts_with("a__b__c_")) << names[1];
}

TEST(ExposedNamesTest, NeverGivesReservedNames) {
    const std::vector<std::string> reserved{"find", "c__look"};

    EXPECT_EQ(shown_names(Originals{{"a", "find"}, {"a", "look"}}, false, reserved),
              (std::vector<std::string>{"a__find", "look"}));
    const auto names = shown_names(Originals{{"c", "look"}}, true, reserved);
    EXPECT_TRUE(names[0].starts_with("c__look_")) << names[0];
}

TEST(ExposedNamesTest, EveryNameIsLegalShortAndUnique) {
    std::mt19937_64 random{1};
    std::vector<std::string> texts;
    for (int count = 0; count < 2'000; ++count) {
        std::string text(random() % 130, ' ');
        std::ranges::generate(text, [&] { return "ab_.-/\xc3 "[random() % 8]; });
        texts.push_back(text);
    }
    Originals originals;
    std::set<std::pair<std::string, std::string>> used;
    for (int count = 0; count < 3'000; ++count) {
        const std::string& server = texts[random() % 20];
        const std::string& name = texts[random() % texts.size()];
        if (used.emplace(server, name).second) {
            originals.push_back({server, name});
        }
    }

    for (const bool with_prefix : {false, true}) {
        const auto names = shown_names(originals, with_prefix);
        EXPECT_EQ(std::set<std::string>(names.begin(), names.end()).size(), originals.size());
        for (const std::string& name : names) {
            EXPECT_LE(name.size(), kMaxNameLength);
            EXPECT_FALSE(name.empty());
            EXPECT_EQ(name.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                             "0123456789_-"),
                      std::string::npos)
                << name;
        }
        EXPECT_EQ(names, shown_names(originals, with_prefix));
    }
}

}  // namespace
}  // namespace holdfast::catalogue
