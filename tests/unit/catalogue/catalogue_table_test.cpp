#include "catalogue/catalogue_table.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace holdfast::catalogue {
namespace {

using namespace std::chrono_literals;

constexpr TimePoint kStart{1000h};

std::vector<ListedItem> items(const std::vector<std::string>& names) {
    std::vector<ListedItem> listed;
    listed.reserve(names.size());
    for (const std::string& name : names) {
        listed.push_back({.name = name, .definition = "{}"});
    }
    return listed;
}

class CatalogueTableTest : public ::testing::Test {
protected:
    std::vector<std::string> shown() const {
        std::vector<std::string> names;
        for (const Item& item : table_.current()->items()) {
            names.push_back(item.exposed_name);
        }
        return names;
    }

    CatalogueTable table_{{{.name = "a"}, {.name = "b"}},
                          {.withdraw_after = 30s, .debounce = 50ms}};
};

TEST_F(CatalogueTableTest, BeginsEmptyAndNeverNull) {
    EXPECT_EQ(table_.current()->generation(), 0U);
    EXPECT_EQ(shown(), std::vector<std::string>{});
    EXPECT_EQ(table_.next_time(), std::nullopt);
    EXPECT_EQ(table_.take_new(kStart), nullptr);
}

TEST_F(CatalogueTableTest, PublishesABurstOfChangesAsOneSnapshot) {
    table_.on_list("a", items({"x"}), kStart);
    table_.on_list("b", items({"y"}), kStart + 20ms);
    table_.on_list("a", items({"x", "z"}), kStart + 40ms);

    EXPECT_EQ(table_.next_time(), kStart + 50ms);
    EXPECT_EQ(table_.take_new(kStart + 49ms), nullptr);
    ASSERT_NE(table_.take_new(kStart + 50ms), nullptr);

    EXPECT_EQ(table_.current()->generation(), 1U);
    EXPECT_EQ(shown(), (std::vector<std::string>{"a__x", "a__z", "b__y"}));
    EXPECT_EQ(table_.take_new(kStart + 1s), nullptr);
}

TEST_F(CatalogueTableTest, ABareNameNeverMovesToAnotherServer) {
    table_.on_list("a", items({"x"}), kStart);
    ASSERT_NE(table_.take_new(kStart + 1s), nullptr);
    EXPECT_EQ(table_.current()->find("x")->server, "a");

    table_.set_servers({{.name = "b"}}, kStart + 2s);
    table_.on_list("b", items({"x"}), kStart + 2s);
    ASSERT_NE(table_.take_new(kStart + 3s), nullptr);

    EXPECT_EQ(shown(), std::vector<std::string>{"x"}) << "an exposed name, as the only server";
    EXPECT_EQ(table_.current()->find("b.x")->server, "b");
    table_.set_servers({{.name = "b"}, {.name = "c"}}, kStart + 4s);
    EXPECT_EQ(table_.current()->find("x"), nullptr);
}

TEST_F(CatalogueTableTest, WithdrawsUnlistedItemsAfterADelay) {
    table_.on_list("a", items({"x", "y"}), kStart);
    ASSERT_NE(table_.take_new(kStart + 1s), nullptr);

    table_.on_list("a", items({"y"}), kStart + 2s);
    ASSERT_NE(table_.take_new(kStart + 3s), nullptr) << "the order has changed";
    EXPECT_EQ(shown(), (std::vector<std::string>{"a__y", "a__x"}));
    EXPECT_EQ(table_.next_time(), kStart + 32s);
    EXPECT_EQ(table_.take_new(kStart + 32s - 1ns), nullptr);
    ASSERT_NE(table_.take_new(kStart + 32s), nullptr);

    EXPECT_EQ(shown(), std::vector<std::string>{"a__y"});
}

TEST_F(CatalogueTableTest, KeepsAnItemThatIsListedAgainInTime) {
    table_.on_list("a", items({"x"}), kStart);
    ASSERT_NE(table_.take_new(kStart + 1s), nullptr);
    table_.on_list("a", {}, kStart + 2s);
    table_.on_list("a", items({"x"}), kStart + 20s);

    EXPECT_EQ(table_.take_new(kStart + 21s), nullptr) << "nothing to see has changed";
    EXPECT_EQ(table_.take_new(kStart + 60s), nullptr);
    EXPECT_EQ(shown(), std::vector<std::string>{"a__x"});
}

TEST_F(CatalogueTableTest, AnotherEmptyListDoesNotPostponeTheWithdrawal) {
    table_.on_list("a", items({"x"}), kStart);
    ASSERT_NE(table_.take_new(kStart + 1s), nullptr);
    table_.on_list("a", {}, kStart + 2s);
    table_.on_list("a", {}, kStart + 20s);

    ASSERT_NE(table_.take_new(kStart + 32s), nullptr);

    EXPECT_EQ(shown(), std::vector<std::string>{});
}

TEST_F(CatalogueTableTest, PublishesAChangedDefinition) {
    table_.on_list("a", items({"x"}), kStart);
    ASSERT_NE(table_.take_new(kStart + 1s), nullptr);

    table_.on_list("a", {{.name = "x", .definition = R"({"new":1})"}}, kStart + 2s);

    ASSERT_NE(table_.take_new(kStart + 3s), nullptr);
    EXPECT_EQ(table_.current()->find("a__x")->definition, R"({"new":1})");
}

TEST_F(CatalogueTableTest, ASnapshotOutlivesLaterChanges) {
    table_.on_list("a", items({"x"}), kStart);
    const auto old = table_.take_new(kStart + 1s);
    ASSERT_NE(old, nullptr);

    table_.on_list("a", items({"y"}), kStart + 2s);
    ASSERT_NE(table_.take_new(kStart + 60s), nullptr);

    EXPECT_EQ(old->find("a__x")->definition, "{}");
    EXPECT_EQ(old->find("a__y"), nullptr);
}

TEST_F(CatalogueTableTest, IgnoresServersThatAreNotConfigured) {
    table_.on_list("nobody", items({"x"}), kStart);

    EXPECT_EQ(table_.next_time(), std::nullopt);
}

TEST_F(CatalogueTableTest, WithdrawsItemsOfARemovedServerImmediately) {
    table_.on_list("a", items({"x"}), kStart);
    table_.on_list("b", items({"y"}), kStart);
    ASSERT_NE(table_.take_new(kStart + 50ms), nullptr);
    const auto generation = table_.current()->generation();

    table_.set_servers({{.name = "b"}}, kStart + 1s);

    EXPECT_EQ(shown(), std::vector<std::string>{"y"});
    EXPECT_EQ(table_.current()->generation(), generation + 1);
    EXPECT_EQ(table_.next_time(), std::nullopt);
}

TEST_F(CatalogueTableTest, AddsNewServersInConfigOrder) {
    table_.on_list("a", items({"x"}), kStart);
    table_.set_servers({{.name = "c"}, {.name = "a"}}, kStart + 1s);

    table_.on_list("c", items({"z"}), kStart + 1s);
    table_.on_list("b", items({"y"}), kStart + 1s);
    ASSERT_NE(table_.take_new(kStart + 2s), nullptr);

    EXPECT_EQ(shown(), (std::vector<std::string>{"c__z", "a__x"}));
}

TEST_F(CatalogueTableTest, WithdrawsUnlistedItemsAfterOtherServersWereAdded) {
    table_.on_list("a", items({"x", "z"}), kStart);
    table_.on_list("a", items({"x"}), kStart + 1s);

    table_.set_servers({{.name = "a"}, {.name = "c"}}, kStart + 2s);

    EXPECT_EQ(shown(), (std::vector<std::string>{"a__x", "a__z"}));
    EXPECT_EQ(table_.next_time(), kStart + 31s);
    ASSERT_NE(table_.take_new(kStart + 31s), nullptr);
    EXPECT_EQ(shown(), std::vector<std::string>{"a__x"});
}

TEST_F(CatalogueTableTest, RenamesItemsWhenTheirServerGetsAnotherPrefix) {
    table_.on_list("a", items({"x"}), kStart);
    table_.on_list("b", items({"y"}), kStart);
    ASSERT_NE(table_.take_new(kStart + 1s), nullptr);

    table_.set_servers({{.name = "a", .has_prefix = false}, {.name = "b"}}, kStart + 2s);

    EXPECT_EQ(shown(), (std::vector<std::string>{"x", "b__y"}));
}

}  // namespace
}  // namespace holdfast::catalogue
