#include "runtime/instance_registry.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <string>
#include <vector>

#include "tests/support/temporary_folder.hpp"

namespace holdfast::runtime {
namespace {

class InstanceRegistryTest : public ::testing::Test {
protected:
    [[nodiscard]] std::vector<Instance> found_with(std::int64_t started) const {
        InstanceFile file{folder.path()};
        EXPECT_FALSE(file.write({.pid = ::getpid(), .started = started, .config = "a.json"}));
        return running_instances(folder.path());
    }

    const test::TemporaryFolder folder;
};

TEST_F(InstanceRegistryTest, ReadsTheStartTimeOfAProcess) {
    EXPECT_GT(process_start_of(::getpid()), 0);
    EXPECT_GE(process_start_of(::getpid()), process_start_of(::getppid()));
    EXPECT_EQ(process_start_of(-1), 0);
}

TEST_F(InstanceRegistryTest, FindsARunningGateway) {
    const auto found = found_with(process_start_of(::getpid()));

    ASSERT_EQ(found.size(), 1U);
    EXPECT_EQ(found.front().config, "a.json");
    EXPECT_EQ(found_with(0).size(), 1U) << "a file of a version that did not tell";
}

TEST_F(InstanceRegistryTest, IgnoresAnotherProcessWithTheSameId) {
    EXPECT_TRUE(found_with(process_start_of(::getpid()) - 1).empty());
}

}  // namespace
}  // namespace holdfast::runtime
