#include <gtest/gtest.h>

#include <string>

#include "fuzz/schema_input.hpp"
#include "tests/support/corpus.hpp"

namespace holdfast::schema {
namespace {

TEST(SchemaCorpusTest, RunsEveryFile) {
    const auto inputs = test::read_corpus(HOLDFAST_SCHEMA_CORPUS);

    for (const std::string& input : inputs) {
        fuzz::run_schema_input(input);
    }

    EXPECT_GE(inputs.size(), 10U);
}

}  // namespace
}  // namespace holdfast::schema
