#include "calls/secret_registry.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <vector>

namespace holdfast::calls {
namespace {

using namespace std::chrono_literals;
using Texts = std::vector<std::string>;

constexpr resilience::TimePoint kNow{1h};

TEST(SecretRegistryTest, KeepsReplacedSecretsForAWhile) {
    SecretRegistry registry{{"old", "kept"}};

    registry.replace({"kept", "new"}, kNow);
    EXPECT_EQ(*registry.all(), (Texts{"kept", "new", "old"}));

    registry.forget_old(kNow + SecretRegistry::kKept - 1ns);
    EXPECT_EQ(*registry.all(), (Texts{"kept", "new", "old"}));
    registry.forget_old(kNow + SecretRegistry::kKept);
    EXPECT_EQ(*registry.all(), (Texts{"kept", "new"}));
}

TEST(SecretRegistryTest, ASecretThatReturnsIsNotForgotten) {
    SecretRegistry registry{{"one"}};
    registry.replace({}, kNow);
    registry.replace({"one"}, kNow + 1s);

    registry.forget_old(kNow + 1h);

    EXPECT_EQ(*registry.all(), Texts{"one"});
}

TEST(SecretRegistryTest, DoesNotGrowWithTheNumberOfReloads) {
    SecretRegistry registry;
    constexpr std::size_t kReloads = SecretRegistry::kMaxRetired + 2;
    for (std::size_t reload = 1; reload <= kReloads; ++reload) {
        registry.replace({"secret-" + std::to_string(reload)}, kNow);
    }

    EXPECT_EQ(registry.all()->size(), SecretRegistry::kMaxRetired + 1);
    EXPECT_EQ(registry.all()->front(), "secret-" + std::to_string(kReloads));
    EXPECT_EQ(registry.all()->back(), "secret-" + std::to_string(kReloads - 1));
}

}  // namespace
}  // namespace holdfast::calls
