// Drives connections of the HTTP server with scripts: the corpus of the fuzz target, and scripts
// from seeds. `fuzz/http_connection_input.hpp` has the expectations that every script must meet.
#include <gtest/gtest.h>

#include <cstddef>
#include <filesystem>
#include <map>
#include <random>
#include <string>

#include "fuzz/http_connection_input.hpp"
#include "tests/support/corpus.hpp"

namespace holdfast::net {
namespace {

constexpr std::size_t kScripts = 20'000;

std::string random_script(std::uint64_t seed) {
    std::mt19937_64 random{seed};
    std::string script(8 + random() % 100, '\0');
    for (char& character : script) {
        character = static_cast<char>(random());
    }
    return script;
}

TEST(HttpConnectionScriptTest, ReplaysTheCorpusOfTheFuzzTarget) {
    const auto scripts =
        test::read_corpus(std::filesystem::path{HOLDFAST_FUZZ_CORPUS} / "http_connection");
    EXPECT_FALSE(scripts.empty());

    std::size_t answer_count = 0;
    for (const std::string& script : scripts) {
        answer_count += fuzz::play_connection(script).size();
    }
    EXPECT_GE(answer_count, scripts.size());
}

TEST(HttpConnectionScriptTest, GivesEveryClientWholeAnswersInOrder) {
    std::map<int, std::size_t> answers;

    for (std::size_t seed = 1; seed <= kScripts; ++seed) {
        SCOPED_TRACE(seed);
        for (const fuzz::SeenAnswer& answer : fuzz::play_connection(random_script(seed))) {
            ++answers[answer.status];
        }
    }

    // Each kind of answer is frequent, so that the scripts reach what they are for.
    for (const int status : {101, 200, 204, 400, 403, 408, 413, 500}) {
        EXPECT_GT(answers[status], kScripts / 1'000) << status;
    }
}

}  // namespace
}  // namespace holdfast::net
