#include <gtest/gtest.h>

#include <string>

#include "fuzz/message_input.hpp"
#include "tests/support/corpus.hpp"

namespace holdfast::jsonrpc {
namespace {

TEST(MessageCorpusTest, RunsEveryFile) {
    const auto inputs = test::read_corpus(HOLDFAST_MESSAGE_CORPUS);

    for (const std::string& input : inputs) {
        fuzz::run_message_input(input);
    }

    EXPECT_GE(inputs.size(), 6U);
}

}  // namespace
}  // namespace holdfast::jsonrpc
