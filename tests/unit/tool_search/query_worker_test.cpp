#include "tool_search/query_worker.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/use_future.hpp>
#include <chrono>
#include <future>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "search_world.hpp"
#include "tool_search/index_builder.hpp"

namespace holdfast::tool_search {
namespace {

namespace asio = boost::asio;
using namespace std::chrono_literals;
using search::SearchStep;
using testing::FakeEmbedder;
using testing::kPatience;
using testing::surface_of;

using Answer = std::optional<search::SearchAnswer>;

class QueryWorkerTest : public ::testing::Test {
protected:
    ~QueryWorkerTest() override { stop(); }

    void make(QueryWorkerOptions options = {}) {
        if (options.deadline == QueryWorkerOptions{}.deadline) {
            options.deadline = 60s;
        }
        worker = std::make_unique<QueryWorker>(options, published);
    }
    void stop() {
        published->close();
        worker->stop();
    }
    /// Waits until the tools are indexed and embedded.
    void index(std::shared_ptr<const surface::Surface> surface) {
        builder.show(std::move(surface));
        ASSERT_TRUE(published->wait_until(std::chrono::steady_clock::now() + kPatience,
                                          [this](const IndexSnapshot& snapshot) {
                                              return snapshot.settled_shows == builder.shows();
                                          }));
    }
    void wait_until_embedding() const {
        while (for_queries->embedded == 0) {
            std::this_thread::yield();
        }
    }
    std::future<Answer> begin(surface::FinderQuery query) {
        return asio::co_spawn(loop.context(), worker->find(std::move(query), loop.owning()),
                              asio::use_future);
    }
    search::SearchAnswer found(const std::string& query,
                               const search::FallbackOptions& options = {}) {
        return *begin({.text = query, .surface = surface_of({"mail", "rain"}), .options = options})
                    .get();
    }
    std::optional<surface::SimilarAnswer> similar(const std::string& tool) {
        std::promise<std::optional<surface::SimilarAnswer>> promise;
        worker->find_similar(tool, [&promise](std::optional<surface::SimilarAnswer> answer) {
            promise.set_value(std::move(answer));
        });
        return promise.get_future().get();
    }

    testing::RunningLoop loop;
    const std::shared_ptr<FakeEmbedder> for_index = std::make_shared<FakeEmbedder>();
    const std::shared_ptr<FakeEmbedder> for_queries = std::make_shared<FakeEmbedder>();
    const std::shared_ptr<PublishedIndex> published = std::make_shared<PublishedIndex>();
    IndexBuilder builder{{},
                         [index = for_index, queries = for_queries] {
                             return LoadedEmbedders{.for_index = index, .for_queries = queries};
                         },
                         [](const SearchProblem&) {},
                         published};
    std::unique_ptr<QueryWorker> worker;
};

TEST_F(QueryWorkerTest, FindsSimilarToolsOfOtherServersByKeywords) {
    make();
    EXPECT_FALSE(similar("zoo__mail")) << "there is no index yet";
    index(surface_of({"mail", "rain"}, {"zoo", "farm"}, 7));

    const auto answer = similar("zoo__mail");

    ASSERT_TRUE(answer);
    EXPECT_EQ(answer->ids, std::vector<std::string>{"farm__mail"});
    EXPECT_EQ(answer->generation, 7U);
    EXPECT_FALSE(similar("zoo__snow")) << "the index does not have it";
}

TEST_F(QueryWorkerTest, AnOutdatedIndexReportsItsGeneration) {
    make();
    index(surface_of({"mail"}, {"zoo", "farm"}, 7));
    for_index->is_stuck = true;
    builder.show(surface_of({"mail", "rain"}, {"zoo", "farm"}, 8));
    ASSERT_TRUE(published->wait_until(
        std::chrono::steady_clock::now() + kPatience,
        [](const IndexSnapshot& snapshot) { return snapshot.index->size() == 4; }));
    builder.show(surface_of({"mail", "rain", "sun"}, {"zoo", "farm"}, 9));

    const auto answer = similar("zoo__mail");

    ASSERT_TRUE(answer);
    EXPECT_EQ(answer->generation, 8U);
    for_index->is_stuck = false;
}

TEST_F(QueryWorkerTest, LookupsOfSimilarToolsLeaveMostOfTheQueueToQueries) {
    make({.deadline = 1h, .max_queued = 8});
    index(surface_of({"mail", "rain"}, {"zoo", "farm"}));
    for_queries->is_stuck = true;
    auto answered =
        begin({.text = "mail", .surface = surface_of({"mail", "rain"}, {"zoo", "farm"})});
    wait_until_embedding();
    std::atomic<std::size_t> refused = 0;
    std::atomic<std::size_t> done = 0;
    for (int count = 0; count < 5; ++count) {
        worker->find_similar("zoo__mail", [&](const std::optional<surface::SimilarAnswer>& answer) {
            refused += answer ? 0 : 1;
            ++done;
        });
    }

    EXPECT_EQ(refused, 3U) << "two of the eight places are for lookups";
    for_queries->is_stuck = false;
    answered.wait();
    while (done < 5) {
        std::this_thread::yield();
    }
    EXPECT_EQ(refused, 3U);
}

TEST_F(QueryWorkerTest, ALateEncoderMeansKeywordSearchOnly) {
    make({.deadline = 1ms});
    index(surface_of({"mail", "rain"}));
    for_queries->is_stuck = true;

    const auto answer = found("mail");

    EXPECT_EQ(answer.step, SearchStep::keyword);
    EXPECT_EQ(answer.tools.front().id, "mail");
}

TEST_F(QueryWorkerTest, AnswersWithoutASearchWhenTooManyQueriesWait) {
    make({.max_queued = 1});
    index(surface_of({"mail", "rain"}));
    for_queries->is_stuck = true;
    std::vector<std::future<Answer>> waiting;
    const surface::FinderQuery query{.text = "mail", .surface = surface_of({"mail", "rain"})};
    waiting.push_back(begin(query));
    wait_until_embedding();
    waiting.push_back(begin(query));  // waits behind the one that is stuck

    EXPECT_TRUE(found("rain").tools.empty());
    const auto answer = found("rain", {.min_tools = 1});

    EXPECT_EQ(answer.step, SearchStep::all_tools);
    EXPECT_EQ(answer.tools.size(), 2U);
    EXPECT_EQ(answer.left.at(0).reason, "too many queries are waiting");
    EXPECT_EQ(answer.left.at(1).reason, "too many queries are waiting");
    EXPECT_EQ(answer.left.at(2).reason, "no fallback tools are configured");
    for_queries->is_stuck = false;
    for (auto& one : waiting) {
        EXPECT_EQ(one.get()->step, SearchStep::hybrid);
    }
}

TEST_F(QueryWorkerTest, StopsWhileQueriesWaitForAHangingEmbedder) {
    make({.deadline = 1h});
    index(surface_of({"mail", "rain"}));
    for_queries->is_stuck = true;
    const surface::FinderQuery query{.text = "mail", .surface = surface_of({"mail", "rain"})};
    auto running = begin(query);
    wait_until_embedding();
    auto waiting = begin(query);
    loop.wait_until_begun();

    stop();

    EXPECT_EQ(running.get()->step, SearchStep::keyword) << "it is answered without the embedder";
    EXPECT_EQ(waiting.wait_for(0s), std::future_status::timeout) << "it goes with its loop";
    EXPECT_EQ(for_queries->embedded, 1U);
}

TEST_F(QueryWorkerTest, StopsWhileAQueryWaitsForTheFirstIndex) {
    make({.first_index_wait = 1h});
    auto waiting = begin({.text = "mail", .surface = surface_of({"mail", "rain"})});

    stop();

    EXPECT_TRUE(found("mail").tools.empty());
    if (waiting.wait_for(0s) == std::future_status::ready) {
        EXPECT_TRUE(waiting.get()->tools.empty()) << "it had begun before the stop";
    }
}

TEST_F(QueryWorkerTest, AQueryThatIsCancelledWhileItWaitsIsNotSearchedFor) {
    make({.deadline = 1h});
    index(surface_of({"mail", "rain"}));
    for_queries->is_stuck = true;
    const surface::FinderQuery query{.text = "mail", .surface = surface_of({"mail", "rain"})};
    auto running = begin(query);
    wait_until_embedding();
    asio::cancellation_signal cancellation;
    std::promise<Answer> cancelled;
    asio::co_spawn(loop.context(), worker->find(query, loop.owning()),
                   asio::bind_cancellation_slot(
                       cancellation.slot(),
                       [&cancelled](const std::exception_ptr& error, const Answer& answer) {
                           EXPECT_EQ(error, nullptr);
                           cancelled.set_value(answer);
                       }));

    asio::post(loop.context(),
               [&cancellation] { cancellation.emit(asio::cancellation_type::terminal); });

    EXPECT_EQ(cancelled.get_future().get(), std::nullopt);
    for_queries->is_stuck = false;
    EXPECT_EQ(running.get()->step, SearchStep::hybrid);
    EXPECT_EQ(found("mail").step, SearchStep::hybrid);
    EXPECT_EQ(for_queries->embedded, 2U);
}

}  // namespace
}  // namespace holdfast::tool_search
