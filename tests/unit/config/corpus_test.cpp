#include <gtest/gtest.h>

#include <string>

#include "fuzz/config_input.hpp"
#include "tests/support/corpus.hpp"

namespace holdfast::config {
namespace {

TEST(ConfigCorpusTest, RunsEveryFile) {
    const auto inputs = test::read_corpus(HOLDFAST_CONFIG_CORPUS);

    for (const std::string& input : inputs) {
        fuzz::run_config_input(input);
    }

    EXPECT_GE(inputs.size(), 8U);
}

}  // namespace
}  // namespace holdfast::config
