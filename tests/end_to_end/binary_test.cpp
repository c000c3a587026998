#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "support/run_process.hpp"

namespace holdfast::test {
namespace {

const std::string kExpectedVersion = HOLDFAST_EXPECTED_VERSION;

std::string binary_from_environment() {
    const char* value = std::getenv("HOLDFAST_BINARY");
    return value == nullptr ? "" : value;
}

class BinaryTest : public testing::Test {
protected:
    void SetUp() override {
        ASSERT_NE(binary_, "") << "HOLDFAST_BINARY must be set; CTest does so.";
    }

    FinishedProcess run(std::vector<std::string> arguments) const {
        arguments.insert(arguments.begin(), binary_);
        return run_process(std::move(arguments));
    }

private:
    std::string binary_ = binary_from_environment();
};

TEST_F(BinaryTest, PrintsItsVersion) {
    const FinishedProcess process = run({"version"});

    EXPECT_EQ(process.exit_code, 0);
    EXPECT_TRUE(process.out.starts_with("holdfast " + kExpectedVersion + " (commit "))
        << process.out;
    EXPECT_TRUE(process.out.ends_with(")\n")) << process.out;
    EXPECT_EQ(process.errors, "");
}

TEST_F(BinaryTest, PrintsTheSameForTheVersionOption) {
    EXPECT_EQ(run({"--version"}).out, run({"version"}).out);
}

TEST_F(BinaryTest, PrintsItsVersionAsJson) {
    const FinishedProcess process = run({"version", "--json"});

    EXPECT_EQ(process.exit_code, 0);
    EXPECT_TRUE(process.out.starts_with(R"({"version":")" + kExpectedVersion + R"(","commit":")"))
        << process.out;
    EXPECT_NE(process.out.find(R"("compiler":")"), std::string::npos) << process.out;
    EXPECT_EQ(process.errors, "");
}

TEST_F(BinaryTest, ExplainsAnUnknownCommandInOneSentence) {
    const FinishedProcess process = run({"versoin"});

    EXPECT_EQ(process.exit_code, 2);
    EXPECT_EQ(process.out, "");
    EXPECT_EQ(process.errors,
              "holdfast: unknown command \"versoin\"; did you mean \"version\"? "
              "\"holdfast --help\" lists the commands\n");
}

}  // namespace
}  // namespace holdfast::test
