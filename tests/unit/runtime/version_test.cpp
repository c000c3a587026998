#include "runtime/version.hpp"

#include <gtest/gtest.h>

namespace holdfast::runtime {
namespace {

constexpr BuildIdentity kIdentity{.version = "1.2.3", .commit = "abc-dirty", .compiler = "cc 9"};

TEST(VersionTest, DescribesTheBuildInOneLine) {
    EXPECT_EQ(describe(kIdentity), "holdfast 1.2.3 (commit abc-dirty, cc 9)");
}

TEST(VersionTest, WritesTheBuildAsJson) {
    EXPECT_EQ(to_json(kIdentity), R"({"version":"1.2.3","commit":"abc-dirty","compiler":"cc 9"})");
}

TEST(VersionTest, KnowsItsOwnBuild) {
    const BuildIdentity identity = build_identity();

    EXPECT_FALSE(identity.version.empty());
    EXPECT_FALSE(identity.commit.empty());
    EXPECT_FALSE(identity.compiler.empty());
}

}  // namespace
}  // namespace holdfast::runtime
