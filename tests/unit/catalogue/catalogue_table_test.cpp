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
        for (const Item& item : book_.current()->items()) {
            names.push_back(item.exposed_name);
        }
        return names;
    }

    CatalogueTable book_{{{.name = "a"}, {.name = "b"}},
                         {.withdraw_after = 30s, .gather_for = 50ms}};
};

TEST_F(CatalogueTableTest, BeginsEmptyAndNeverNull) {
    EXPECT_EQ(book_.current()->generation(), 0U);
    EXPECT_EQ(shown(), std::vector<std::string>{});
    EXPECT_EQ(book_.next_time(), std::nullopt);
    EXPECT_EQ(book_.take_new(kStart), nullptr);
}

TEST_F(CatalogueTableTest, ShowsAStormOfChangesAsOne) {
    book_.on_list("a", items({"x"}), kStart);
    book_.on_list("b", items({"y"}), kStart + 20ms);
    book_.on_list("a", items({"x", "z"}), kStart + 40ms);

    EXPECT_EQ(book_.next_time(), kStart + 50ms);
    EXPECT_EQ(book_.take_new(kStart + 49ms), nullptr);
    ASSERT_NE(book_.take_new(kStart + 50ms), nullptr);

    EXPECT_EQ(book_.current()->generation(), 1U);
    EXPECT_EQ(shown(), (std::vector<std::string>{"a__x", "a__z", "b__y"}));
    EXPECT_EQ(book_.take_new(kStart + 1s), nullptr);
}

TEST_F(CatalogueTableTest, KeepsWhatIsNoLongerListedForAWhile) {
    book_.on_list("a", items({"x", "y"}), kStart);
    ASSERT_NE(book_.take_new(kStart + 1s), nullptr);

    book_.on_list("a", items({"y"}), kStart + 2s);
    ASSERT_NE(book_.take_new(kStart + 3s), nullptr) << "the order has changed";
    EXPECT_EQ(shown(), (std::vector<std::string>{"a__y", "a__x"}));
    EXPECT_EQ(book_.next_time(), kStart + 32s);
    EXPECT_EQ(book_.take_new(kStart + 32s - 1ns), nullptr);
    ASSERT_NE(book_.take_new(kStart + 32s), nullptr);

    EXPECT_EQ(shown(), std::vector<std::string>{"a__y"});
}

TEST_F(CatalogueTableTest, AnItemThatComesBackInTimeIsNotWithdrawn) {
    book_.on_list("a", items({"x"}), kStart);
    ASSERT_NE(book_.take_new(kStart + 1s), nullptr);
    book_.on_list("a", {}, kStart + 2s);
    book_.on_list("a", items({"x"}), kStart + 20s);

    EXPECT_EQ(book_.take_new(kStart + 21s), nullptr) << "nothing to see has changed";
    EXPECT_EQ(book_.take_new(kStart + 60s), nullptr);
    EXPECT_EQ(shown(), std::vector<std::string>{"a__x"});
}

TEST_F(CatalogueTableTest, AnotherEmptyListDoesNotPutTheWithdrawalOff) {
    book_.on_list("a", items({"x"}), kStart);
    ASSERT_NE(book_.take_new(kStart + 1s), nullptr);
    book_.on_list("a", {}, kStart + 2s);
    book_.on_list("a", {}, kStart + 20s);

    ASSERT_NE(book_.take_new(kStart + 32s), nullptr);

    EXPECT_EQ(shown(), std::vector<std::string>{});
}

TEST_F(CatalogueTableTest, AChangedDefinitionIsAChange) {
    book_.on_list("a", items({"x"}), kStart);
    ASSERT_NE(book_.take_new(kStart + 1s), nullptr);

    book_.on_list("a", {{.name = "x", .definition = R"({"new":1})"}}, kStart + 2s);

    ASSERT_NE(book_.take_new(kStart + 3s), nullptr);
    EXPECT_EQ(book_.current()->find("a__x")->definition, R"({"new":1})");
}

TEST_F(CatalogueTableTest, ASnapshotOutlivesWhatComesAfterIt) {
    book_.on_list("a", items({"x"}), kStart);
    const auto old = book_.take_new(kStart + 1s);
    ASSERT_NE(old, nullptr);

    book_.on_list("a", items({"y"}), kStart + 2s);
    ASSERT_NE(book_.take_new(kStart + 60s), nullptr);

    EXPECT_EQ(old->find("a__x")->definition, "{}");
    EXPECT_EQ(old->find("a__y"), nullptr);
}

TEST_F(CatalogueTableTest, TakesNoNoticeOfAServerThatIsNotConfigured) {
    book_.on_list("nobody", items({"x"}), kStart);

    EXPECT_EQ(book_.next_time(), std::nullopt);
}

TEST_F(CatalogueTableTest, WithdrawsTheItemsOfAServerThatIsGoneAtOnce) {
    book_.on_list("a", items({"x"}), kStart);
    book_.on_list("b", items({"y"}), kStart);
    ASSERT_NE(book_.take_new(kStart + 50ms), nullptr);
    const auto generation = book_.current()->generation();

    book_.set_servers({{.name = "b"}}, kStart + 1s);

    EXPECT_EQ(shown(), std::vector<std::string>{"y"});
    EXPECT_EQ(book_.current()->generation(), generation + 1);
    EXPECT_EQ(book_.next_time(), std::nullopt);
}

TEST_F(CatalogueTableTest, TakesNewServersInTheirOrder) {
    book_.on_list("a", items({"x"}), kStart);
    book_.set_servers({{.name = "c"}, {.name = "a"}}, kStart + 1s);

    book_.on_list("c", items({"z"}), kStart + 1s);
    book_.on_list("b", items({"y"}), kStart + 1s);
    ASSERT_NE(book_.take_new(kStart + 2s), nullptr);

    EXPECT_EQ(shown(), (std::vector<std::string>{"c__z", "a__x"}));
}

TEST_F(CatalogueTableTest, StillWithdrawsWhatAServerNoLongerListsAfterOthersCame) {
    book_.on_list("a", items({"x", "z"}), kStart);
    book_.on_list("a", items({"x"}), kStart + 1s);

    book_.set_servers({{.name = "a"}, {.name = "c"}}, kStart + 2s);

    EXPECT_EQ(shown(), (std::vector<std::string>{"a__x", "a__z"}));
    EXPECT_EQ(book_.next_time(), kStart + 31s);
    ASSERT_NE(book_.take_new(kStart + 31s), nullptr);
    EXPECT_EQ(shown(), std::vector<std::string>{"a__x"});
}

TEST_F(CatalogueTableTest, RenamesItemsWhenTheirServerGetsAnotherPrefix) {
    book_.on_list("a", items({"x"}), kStart);
    book_.on_list("b", items({"y"}), kStart);
    ASSERT_NE(book_.take_new(kStart + 1s), nullptr);

    book_.set_servers({{.name = "a", .has_prefix = false}, {.name = "b"}}, kStart + 2s);

    EXPECT_EQ(shown(), (std::vector<std::string>{"x", "b__y"}));
}

}  // namespace
}  // namespace holdfast::catalogue
