#include "runtime/loading/local_users.hpp"

#include <gtest/gtest.h>

namespace holdfast::runtime {
namespace {

using Rule = base::LocalAccess::Rule;

const platform::LocalAccounts& accounts() {
    static const platform::LocalAccounts instance{"bob:x:1001:1001::/:\neve:x:1002:1002::/:\n",
                                                  "dev:x:50:eve\n"};
    return instance;
}

base::LocalAccess access_of(config::LocalUsers local, ConfigMessages& messages) {
    return local_access_of({.local = std::move(local)}, 7, accounts(), messages);
}

TEST(LocalUsersTest, FindsTheUsersThatTheConfigNames) {
    ConfigMessages messages;

    const auto access = access_of(
        {.rule = config::LocalRule::listed, .names = {"user:bob", "group:dev", "user:4711"}},
        messages);

    EXPECT_EQ(access,
              (base::LocalAccess{.rule = Rule::listed,
                                 .own = 7,
                                 .others = {{1001, "bob"}, {1002, "eve"}, {4711, "4711"}}}));
    EXPECT_TRUE(messages.empty());
}

TEST(LocalUsersTest, ANameThatThisMachineDoesNotHaveIsAWarning) {
    ConfigMessages messages;

    const auto access = access_of(
        {.rule = config::LocalRule::listed, .names = {"user:carol", "group:ops"}}, messages);

    EXPECT_TRUE(access.others.empty());
    ASSERT_EQ(messages.size(), 2U);
    EXPECT_EQ(messages[0].level, logging::LogLevel::warn);
    EXPECT_EQ(messages[0].text,
              "agents.local: \"user:carol\" admits nobody, because this machine's /etc/passwd has "
              "no such name; correct it, or write the number");
    EXPECT_NE(messages[1].text.find("/etc/group"), std::string::npos);
}

TEST(LocalUsersTest, TheRulesOfTheConfig) {
    ConfigMessages messages;

    EXPECT_EQ(access_of({}, messages), (base::LocalAccess{.rule = Rule::listed, .own = 7}));
    EXPECT_EQ(access_of({.rule = config::LocalRule::any}, messages).rule, Rule::any);
    EXPECT_EQ(access_of({.rule = config::LocalRule::none}, messages).rule, Rule::none);
}

}  // namespace
}  // namespace holdfast::runtime
