#include "catalogue/catalogue.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

namespace holdfast::catalogue {
namespace {

ServerItems server(std::string key, const std::vector<std::string>& names) {
    std::vector<ListedItem> items;
    items.reserve(names.size());
    for (const std::string& name : names) {
        items.push_back({.name = name, .definition = R"({"from":")" + key + "\"}"});
    }
    return {.server = {.name = std::move(key)},
            .items = std::make_shared<const std::vector<ListedItem>>(std::move(items))};
}

std::vector<std::string> names_of(const Catalogue& catalogue) {
    std::vector<std::string> names;
    for (const Item& item : catalogue.items()) {
        names.push_back(item.exposed_name);
    }
    return names;
}

TEST(CatalogueTest, KeepsTheOrderOfTheConfigAndOfEachDownstream) {
    const Catalogue catalogue{3, {server("b", {"z", "a"}), server("a", {"m"})}, {}};

    EXPECT_EQ(names_of(catalogue), (std::vector<std::string>{"b__z", "b__a", "a__m"}));
    EXPECT_EQ(catalogue.generation(), 3U);
}

TEST(CatalogueTest, FindsByExposedNameFullNameAndUnambiguousBareName) {
    const Catalogue catalogue{
        1, {server("code", {"search", "read"}), server("docs", {"search"})}, {}};

    EXPECT_EQ(catalogue.find("docs__search")->server, "docs");
    EXPECT_EQ(catalogue.find("code.search")->server, "code");
    EXPECT_EQ(catalogue.find("read")->exposed_name, "code__read");
    EXPECT_EQ(catalogue.find("search"), nullptr) << "two downstreams have one";
    EXPECT_EQ(catalogue.find("code__nothing"), nullptr);
    EXPECT_EQ(catalogue.find(""), nullptr);
    EXPECT_EQ(catalogue.find("code.search")->definition, R"({"from":"code"})");
}

TEST(CatalogueTest, PrefersExposedNamesToFullAndBareOnes) {
    const Catalogue catalogue{
        1, {server("a", {"b__c"}), server("b", {"c"}), server("x", {"b__c"})}, {}};

    EXPECT_EQ(catalogue.find("b__c")->server, "b");
}

TEST(CatalogueTest, AnOutageDoesNotRenameItems) {
    const Catalogue catalogue{
        1, {server("code", {"search"}), {.server = {.name = "docs"}, .items = {}}}, {}};

    EXPECT_EQ(names_of(catalogue), (std::vector<std::string>{"code__search"}));
}

TEST(CatalogueTest, SkipsDuplicatesAndCountsItemsAboveTheLimit) {
    const Catalogue catalogue{
        1, {server("a", {"x", "x", "y", "z"})}, {.prefixing = Prefixing::never, .max_items = 2}};

    EXPECT_EQ(names_of(catalogue), (std::vector<std::string>{"x", "y"}));
    EXPECT_EQ(catalogue.overflow(), 1U);
}

TEST(CatalogueTest, FindsTheNearestNames) {
    const Catalogue catalogue{
        1, {server("code", {"search", "read", "grep"}), server("docs", {"search"})}, {}};

    EXPECT_EQ(catalogue.nearest("docs_serach", 1), (std::vector<std::string_view>{"docs__search"}));
    EXPECT_EQ(catalogue.nearest("x", 99).size(), 4U);
}

TEST(CatalogueTest, AServerCanHaveItsOwnRuleForPrefixes) {
    ServerItems plain = server("plain", {"search"});
    plain.server.has_prefix = false;
    const Catalogue several{1, {plain, server("docs", {"read"})}, {}};
    ServerItems prefixed = server("only", {"search"});
    prefixed.server.has_prefix = true;
    const Catalogue single{1, {prefixed}, {.prefixing = Prefixing::never}};

    EXPECT_EQ(names_of(several), (std::vector<std::string>{"search", "docs__read"}));
    EXPECT_EQ(names_of(single), (std::vector<std::string>{"only__search"}));
}

TEST(CatalogueTest, AnItemNeverAnswersToANameInAnotherServersNamespace) {
    const Catalogue catalogue{
        1,
        {server("b", {"docs__search", "docs.read", "own__tool", "b.mine"}), server("docs", {})},
        {}};

    for (const std::string_view name : {"docs__search", "docs.read", "docs.search", "docs__read",
                                        "b.docs__search", "b.docs.read"}) {
        EXPECT_EQ(catalogue.find(name), nullptr) << name;
    }
    EXPECT_EQ(catalogue.find("b__docs__search")->name, "docs__search");
    EXPECT_EQ(catalogue.find("own__tool")->server, "b");
    EXPECT_EQ(catalogue.find("b.mine")->server, "b");
}

TEST(CatalogueTest, ANameInAnotherServersNamespaceGetsAPrefix) {
    ServerItems plain = server("b", {"docs__search", "my_docs__x", "other"});
    plain.server.has_prefix = false;
    const Catalogue catalogue{1, {plain, server("docs", {}), server("my.docs", {})}, {}};

    EXPECT_EQ(names_of(catalogue),
              (std::vector<std::string>{"b__docs__search", "b__my_docs__x", "other"}));
    EXPECT_EQ(catalogue.find("docs__search"), nullptr);
    EXPECT_EQ(catalogue.find("my_docs__x"), nullptr);
}

TEST(CatalogueTest, TheLongestKeyOwnsANamespace) {
    const Catalogue catalogue{1,
                              {server("b", {"docs__search", "docs.read"}),
                               server("b__docs", {"list"}), server("b.docs", {"list"})},
                              {}};

    EXPECT_EQ(catalogue.find("b__docs__search"), nullptr);
    EXPECT_EQ(catalogue.find("b.docs.read"), nullptr);
    EXPECT_EQ(catalogue.find("b__docs__list")->server, "b__docs");
    EXPECT_EQ(catalogue.find("b.docs.list")->server, "b.docs");
    for (const Item& item : catalogue.items()) {
        EXPECT_EQ(catalogue.find(item.exposed_name), &item) << item.exposed_name;
        EXPECT_EQ(item.exposed_name.starts_with("b__docs__"), item.server == "b__docs");
    }
}

TEST(CatalogueTest, ABareNameStaysWithTheServerThatHadItFirst) {
    NameOwners owners;
    const Catalogue first{1, {server("a", {"x"}), server("b", {})}, {}, owners};
    const Catalogue both{2, {server("a", {"x"}), server("b", {"x", "y"})}, {}, owners};
    const Catalogue gone{3, {server("a", {}), server("b", {"x", "y"})}, {}, owners};

    EXPECT_EQ(first.find("x")->server, "a");
    EXPECT_EQ(both.find("x")->server, "a");
    EXPECT_EQ(both.find("y")->server, "b");
    EXPECT_EQ(gone.find("x"), nullptr);
    EXPECT_EQ(gone.find("b__x")->server, "b");
    EXPECT_EQ(gone.find("b.x")->server, "b");
}

}  // namespace
}  // namespace holdfast::catalogue
