#include "calls/call_plan.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <utility>

namespace holdfast::calls {
namespace {

struct Belief {
    bool is_read = false;
    bool is_safe = false;

    friend bool operator==(const Belief&, const Belief&) = default;
};

/// Whether a plan takes a tool for a read and for safe to repeat.
Belief belief(surface::Callable tool, policy::ResolvedTool said, bool trusts_annotations = true) {
    const surface::Server server{.name = "s", .trusts_annotations = trusts_annotations};
    tool.server = &server;
    CallPlan plan;
    plan.retarget(tool, std::make_shared<const guard::CallRules>(std::move(said), nullptr));
    return {.is_read = plan.is_read, .is_safe = plan.is_safe};
}

constexpr Belief kNothing = {};
constexpr Belief kRead = {.is_read = true, .is_safe = true};
constexpr Belief kIdempotent = {.is_read = false, .is_safe = true};

TEST(CallPlanTest, AnnotationsCountIfNoRuleAndNoPresetMarksTheTool) {
    EXPECT_EQ(belief({}, {}), kNothing);
    EXPECT_EQ(belief({.is_read = true, .is_safe = true}, {}), kRead);
    EXPECT_EQ(belief({.is_safe = true}, {}), kIdempotent);
    EXPECT_EQ(belief({.is_read = true, .is_safe = true}, {}, false), kNothing);
}

TEST(CallPlanTest, AMarkOfThePresetIsStrongerThanOtherAnnotations) {
    EXPECT_EQ(belief({}, {.read_only = true}), kRead);
    EXPECT_EQ(belief({}, {.idempotent = true}), kIdempotent);
    EXPECT_EQ(belief({.is_read = true, .is_safe = true}, {.read_only = false}), kNothing);
}

TEST(CallPlanTest, AnExplicitDestructiveHintIsStrongerThanThePreset) {
    const surface::Callable destructive{.is_read = true, .is_safe = true, .is_destructive = true};
    for (const bool trusts : {true, false}) {
        EXPECT_EQ(belief(destructive, {}, trusts), kNothing) << trusts;
        EXPECT_EQ(belief(destructive, {.read_only = true}, trusts), kNothing) << trusts;
        EXPECT_EQ(belief(destructive, {.idempotent = true}, trusts), kNothing) << trusts;
    }
}

TEST(CallPlanTest, ARuleOfTheFileIsTheStrongest) {
    const surface::Callable destructive{.is_destructive = true};

    EXPECT_EQ(belief(destructive, {.read_only = true, .is_read_only_of_file = true}), kRead);
    EXPECT_EQ(belief(destructive, {.idempotent = true, .is_idempotent_of_file = true}),
              kIdempotent);
    EXPECT_EQ(belief({.is_read = true, .is_safe = true},
                     {.read_only = false, .is_read_only_of_file = true}),
              kNothing);
}

}  // namespace
}  // namespace holdfast::calls
