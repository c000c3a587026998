#include "platform/local_accounts.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace holdfast::platform {
namespace {

using Ids = std::vector<uid_t>;

const LocalAccounts& accounts() {
    static const LocalAccounts instance{
        "root:x:0:0:root:/root:/bin/bash\n"
        "# a comment\n"
        "bob:x:1001:1001:Bob,,,:/home/bob:/bin/bash\n"
        "broken:x:one:1:::\n"
        "short:x:5\n"
        "+::::::\n"
        "eve:x:1002:100::/home/eve:/bin/sh",
        "root:x:0:\n"
        "dev:x:50:bob,eve,gone\n"
        "users:x:100:\n"
        "empty:x:51\n"
        "broken:x:y:bob\n"};
    return instance;
}

TEST(LocalAccountsTest, FindsUsersByNameOrNumber) {
    EXPECT_EQ(accounts().user("bob"), 1001U);
    EXPECT_EQ(accounts().user("4711"), 4711U);
    EXPECT_FALSE(accounts().user("nobody-here"));
    EXPECT_FALSE(accounts().user("broken"));
    EXPECT_FALSE(accounts().user("short"));
    EXPECT_FALSE(accounts().user("-1"));
    EXPECT_FALSE(accounts().user("1001x"));
    EXPECT_FALSE(accounts().user(""));
}

TEST(LocalAccountsTest, MembersAreNamedInTheGroupOrHaveItAsTheirMainGroup) {
    EXPECT_EQ(accounts().members("dev"), (Ids{1001, 1002}));
    EXPECT_EQ(accounts().members("50"), (Ids{1001, 1002}));
    EXPECT_EQ(accounts().members("users"), Ids{1002});
    EXPECT_EQ(accounts().members("empty"), Ids{});
    EXPECT_FALSE(accounts().members("missing"));
    EXPECT_FALSE(accounts().members("broken"));
    EXPECT_FALSE(accounts().members("99"));
}

TEST(LocalAccountsTest, NamesUsers) {
    EXPECT_EQ(accounts().name_of(1002), "eve");
    EXPECT_EQ(accounts().name_of(77), "77");
}

TEST(LocalAccountsTest, MissingFilesHaveNoUsers) {
    const LocalAccounts none{"", ""};

    EXPECT_FALSE(none.user("root"));
    EXPECT_EQ(none.user("0"), 0U);
    EXPECT_FALSE(none.members("root"));
}

}  // namespace
}  // namespace holdfast::platform
