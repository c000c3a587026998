#include "mcp/method.hpp"

#include <gtest/gtest.h>

namespace holdfast::mcp {
namespace {

TEST(MethodTest, RemovedMethodsAreLegacyOnly) {
    for (const char* name : {"initialize", "ping", "logging/setLevel", "resources/subscribe",
                             "resources/unsubscribe"}) {
        const Method* method = find_method(name);
        ASSERT_NE(method, nullptr) << name;
        EXPECT_TRUE(method->in_legacy) << name;
        EXPECT_FALSE(method->in_modern) << name;
    }
}

TEST(MethodTest, AddedMethodsAreModernOnly) {
    for (const char* name : {"server/discover", "subscriptions/listen"}) {
        const Method* method = find_method(name);
        ASSERT_NE(method, nullptr) << name;
        EXPECT_FALSE(method->in_legacy) << name;
        EXPECT_TRUE(method->in_modern) << name;
    }
}

TEST(MethodTest, OnlyToolCallsAreNotSafe) {
    EXPECT_FALSE(find_method("tools/call")->is_safe);
    for (const char* name : {"tools/list", "resources/read", "prompts/get", "server/discover",
                             "completion/complete", "initialize", "ping"}) {
        EXPECT_TRUE(find_method(name)->is_safe) << name;
    }
}

TEST(MethodTest, SixResultsHaveCacheHints) {
    for (const char* name : {"server/discover", "tools/list", "prompts/list", "resources/list",
                             "resources/templates/list", "resources/read"}) {
        EXPECT_TRUE(find_method(name)->has_cache_hints) << name;
    }
    EXPECT_FALSE(find_method("tools/call")->has_cache_hints);
}

TEST(MethodTest, HasNoOtherMethods) {
    EXPECT_EQ(find_method("tools/Call"), nullptr);
    EXPECT_EQ(find_method(""), nullptr);
    EXPECT_EQ(find_method("notifications/cancelled"), nullptr);
}

}  // namespace
}  // namespace holdfast::mcp
