#include <gtest/gtest.h>

#include <string>

#include "fuzz/answer_template_input.hpp"
#include "fuzz/openapi_input.hpp"
#include "tests/support/corpus.hpp"

namespace holdfast::rest {
namespace {

TEST(OpenApiCorpusTest, RunsEveryFile) {
    const auto inputs = test::read_corpus(HOLDFAST_OPENAPI_CORPUS);

    for (const std::string& input : inputs) {
        fuzz::run_openapi_input(input);
    }

    EXPECT_GE(inputs.size(), 3U);
}

TEST(AnswerTemplateCorpusTest, RunsEveryFile) {
    const auto inputs = test::read_corpus(HOLDFAST_ANSWER_TEMPLATE_CORPUS);

    for (const std::string& input : inputs) {
        fuzz::run_answer_template_input(input);
    }

    EXPECT_GE(inputs.size(), 7U);
}

}  // namespace
}  // namespace holdfast::rest
