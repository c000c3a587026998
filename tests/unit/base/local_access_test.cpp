#include "base/local_access.hpp"

#include <gtest/gtest.h>

namespace holdfast::base {
namespace {

using Rule = LocalAccess::Rule;

constexpr std::uint32_t kOwn = 1000;
constexpr std::uint32_t kBob = 1001;
constexpr std::uint32_t kEve = 1002;

TEST(LocalAccessTest, AdmitsTheOwnUserAndRoot) {
    const LocalAccess access{.own = kOwn};

    EXPECT_EQ(access.principal_of(kOwn), "local");
    EXPECT_EQ(access.principal_of(0U), "local");
    EXPECT_EQ(access.principal_of(kEve), std::nullopt);
    EXPECT_EQ(access.principal_of(std::nullopt), std::nullopt);
}

TEST(LocalAccessTest, AdmitsListedUsersUnderTheirNames) {
    const LocalAccess access{.own = kOwn, .others = {{kBob, "bob"}}};

    EXPECT_EQ(access.principal_of(kOwn), "local");
    EXPECT_EQ(access.principal_of(kBob), "local/bob");
    EXPECT_EQ(access.principal_of(kEve), std::nullopt);
}

TEST(LocalAccessTest, AnyAdmitsEverybodyAndKeepsUsersApart) {
    const LocalAccess access{.rule = Rule::any, .own = kOwn, .others = {}};

    EXPECT_EQ(access.principal_of(kOwn), "local");
    EXPECT_EQ(access.principal_of(kEve), "local/1002");
    EXPECT_EQ(access.principal_of(std::nullopt), "anonymous");
}

TEST(LocalAccessTest, NoneAdmitsNobody) {
    const LocalAccess access{.rule = Rule::none, .own = kOwn, .others = {{kBob, "bob"}}};

    EXPECT_EQ(access.principal_of(kOwn), std::nullopt);
    EXPECT_EQ(access.principal_of(0U), std::nullopt);
    EXPECT_EQ(access.principal_of(kBob), std::nullopt);
}

}  // namespace
}  // namespace holdfast::base
