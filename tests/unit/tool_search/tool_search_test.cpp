#include "tool_search/tool_search.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/use_future.hpp>
#include <chrono>
#include <future>
#include <memory>
#include <string>
#include <thread>
#include <utility>

#include "search_world.hpp"
#include "support/temporary_folder.hpp"

// Both threads together: queries while the index grows.

namespace holdfast::tool_search {
namespace {

using namespace std::chrono_literals;
using search::SearchStep;
using testing::FakeEmbedder;
using testing::kPatience;
using testing::surface_of;

class ToolSearchTest : public ::testing::Test {
protected:
    std::unique_ptr<ToolSearch> make() {
        return std::make_unique<ToolSearch>(
            ToolSearchOptions{.cache_folder = folder.path(), .deadline = 60s},
            [this] { return LoadedEmbedders{.for_index = for_index, .for_queries = for_queries}; },
            [](const SearchProblem&) {});
    }
    search::SearchAnswer found(ToolSearch& search, const std::string& query,
                               const search::FallbackOptions& options = {}) {
        return *boost::asio::co_spawn(loop.context(),
                                      search.find({.text = query,
                                                   .surface = surface_of({"mail", "rain"}),
                                                   .options = options},
                                                  loop.owning()),
                                      boost::asio::use_future)
                    .get();
    }

    testing::RunningLoop loop;
    const test::TemporaryFolder folder;
    const std::shared_ptr<FakeEmbedder> for_index = std::make_shared<FakeEmbedder>();
    const std::shared_ptr<FakeEmbedder> for_queries = std::make_shared<FakeEmbedder>();
};

TEST_F(ToolSearchTest, EmbedsInTheBackgroundAndReportsItsProgress) {
    const auto search = make();
    search->show(surface_of({"mail", "rain"}));

    ASSERT_TRUE(search->wait_until_ready(kPatience));

    EXPECT_EQ(search->progress().indexed, 2U);
    EXPECT_EQ(search->progress().embedded, 2U);
    EXPECT_EQ(search->progress().model, "fake");
    const auto answer = found(*search, "about some mail");
    EXPECT_EQ(answer.step, SearchStep::hybrid);
    EXPECT_EQ(answer.tools.front().id, "mail");
}

TEST_F(ToolSearchTest, AnswersByKeywordsWhileTheIndexIsStuck) {
    for_index->is_stuck = true;
    const auto search = make();
    search->show(surface_of({"mail", "rain"}));
    while (search->progress().indexed == 0 || search->progress().model.empty()) {
        std::this_thread::yield();
    }

    const auto answer = found(*search, "rain");

    EXPECT_EQ(answer.step, SearchStep::keyword);
    EXPECT_EQ(answer.left.at(0).reason, "no tool is embedded yet");
}

TEST_F(ToolSearchTest, AnswersByKeywordsWhileTheModelIsLoading) {
    std::promise<void> may_open;
    std::atomic<bool> is_opening = false;
    ToolSearch search{{.deadline = 60s, .first_index_wait = kPatience},
                      [&] {
                          is_opening = true;
                          may_open.get_future().wait();
                          return LoadedEmbedders{.for_index = for_index,
                                                 .for_queries = for_queries};
                      },
                      [](const SearchProblem&) {}};
    EXPECT_FALSE(is_opening) << "words come first, and there are none yet";
    search.show(surface_of({"mail", "rain"}));

    const auto answer = found(search, "rain");

    EXPECT_EQ(answer.step, SearchStep::keyword);
    EXPECT_EQ(answer.left.at(0).reason, "the model is being opened");
    may_open.set_value();
    EXPECT_TRUE(search.wait_until_ready(kPatience));
}

TEST_F(ToolSearchTest, EndsWhileEverythingIsStuck) {
    for_index->is_stuck = true;
    const auto search = make();
    search->show(surface_of({"mail"}));

    search->stop();

    EXPECT_FALSE(found(*search, "mail", {.min_tools = 1}).tools.empty())
        << "it still answers, without its threads";
}

}  // namespace
}  // namespace holdfast::tool_search
