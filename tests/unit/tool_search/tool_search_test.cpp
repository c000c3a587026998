#include "tool_search/tool_search.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/use_future.hpp>
#include <future>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "holdfast/resilience/asio/loop_timekeeper.hpp"
#include "support/gate.hpp"
#include "support/temporary_folder.hpp"

namespace holdfast::tool_search {
namespace {

using namespace std::chrono_literals;
using search::SearchStep;

namespace asio = boost::asio;

constexpr auto kPatience = 30s;

/// A loop on a thread of its own, for the coroutines of the queries.
class RunningLoop final {
public:
    RunningLoop() : thread_([this] { context_.run(); }) {}
    ~RunningLoop() {
        context_.stop();
        thread_.join();
    }
    RunningLoop(const RunningLoop&) = delete;
    RunningLoop& operator=(const RunningLoop&) = delete;

    [[nodiscard]] asio::io_context& context() { return context_; }
    [[nodiscard]] net::OwningLoop owning() {
        return {.executor = context_.get_executor(), .timekeeper = &timekeeper_};
    }
    /// What was spawned before waits for something else now.
    void wait_until_begun() { asio::post(context_, asio::use_future).get(); }

private:
    asio::io_context context_;
    resilience::LoopTimekeeper timekeeper_{context_.get_executor()};
    asio::executor_work_guard<asio::io_context::executor_type> work_{context_.get_executor()};
    std::thread thread_;
};

/// Servers that all list the same tools.
std::shared_ptr<const surface::Surface> surface_of(
    const std::vector<std::string>& tools, const std::vector<std::string>& servers = {"zoo"},
    std::uint64_t generation = 1) {
    std::vector<catalogue::ListedItem> items;
    for (const std::string& tool : tools) {
        items.push_back(
            {.name = tool,
             .definition = R"({"name":")" + tool + R"(","description":"about )" + tool + R"("})"});
    }
    const auto shared = std::make_shared<const std::vector<catalogue::ListedItem>>(items);
    std::vector<catalogue::ServerItems> listed;
    std::vector<surface::Server> known;
    for (const std::string& server : servers) {
        listed.push_back({.server = {.name = server}, .items = shared});
        known.push_back({.name = server});
    }
    surface::Catalogues catalogues;
    for (auto& catalogue : catalogues) {
        catalogue = std::make_shared<const catalogue::Catalogue>(
            1, std::vector<catalogue::ServerItems>{}, catalogue::CatalogueOptions{});
    }
    catalogues[static_cast<std::size_t>(downstream::ListKind::tools)] =
        std::make_shared<const catalogue::Catalogue>(generation, listed,
                                                     catalogue::CatalogueOptions{});
    return std::make_shared<const surface::Surface>(
        generation, std::make_shared<const std::vector<surface::Server>>(known), catalogues,
        std::array<surface::CacheHint, surface::kListKinds>{});
}

/// All texts get the same embedding. Can be made to fail, wait and reject.
class FakeEmbedder final : public search::Embedder {
public:
    [[nodiscard]] std::string_view model_name() const override { return "fake"; }
    [[nodiscard]] search::Embeddings embed(std::span<const std::string> texts,
                                           const search::StopSignal& should_stop) const override {
        embedded += texts.size();
        while (is_stuck) {
            if (should_stop && should_stop()) {
                return search::EmbedError{.code = search::EmbedErrc::too_late, .message = "late"};
            }
            std::this_thread::yield();
        }
        if (is_broken) {
            return search::EmbedError{.message = "it is broken"};
        }
        const auto has = [&texts](const std::string& word) {
            return !word.empty() && std::ranges::any_of(texts, [&word](const std::string& text) {
                return text.find(word) != std::string::npos;
            });
        };
        if (has(failing_word) || (is_stumbling && has("stone"))) {
            return search::EmbedError{.message = "it stumbled"};
        }
        const bool has_refused = has(refused_word);
        if (has_refused && texts.size() > 1) {
            return search::EmbedError{.message = "there is a text that it refuses"};
        }
        if (has_refused) {
            ++refusals;
            return std::vector<search::Embedding>(1);
        }
        std::vector<float> direction(dimension, 0.0F);
        direction.front() = 1.0F;
        return std::vector<search::Embedding>(texts.size(),
                                              search::Embedding{std::span{direction}});
    }
    mutable std::atomic<std::size_t> embedded = 0;
    mutable std::atomic<std::size_t> refusals = 0;
    std::string refused_word = {};
    std::string failing_word = {};
    std::atomic<std::size_t> dimension = 2;
    std::atomic<bool> is_stuck = false;
    std::atomic<bool> is_broken = false;
    std::atomic<bool> is_stumbling = false;  // at the text "stone"
};

class ToolSearchTest : public ::testing::Test {
protected:
    std::unique_ptr<ToolSearch> make(ToolSearchOptions options = {}) {
        options.cache_folder = folder.path();
        if (options.deadline == ToolSearchOptions{}.deadline) {
            options.deadline = 60s;
        }
        return std::make_unique<ToolSearch>(
            std::move(options),
            [this] { return LoadedEmbedders{.for_index = for_index, .for_queries = for_queries}; },
            [](const SearchProblem&) {});
    }
    using Answer = std::optional<search::SearchAnswer>;

    std::future<Answer> begin(ToolSearch& search, surface::FinderQuery query) {
        return asio::co_spawn(loop.context(), search.find(std::move(query), loop.owning()),
                              asio::use_future);
    }
    search::SearchAnswer found(ToolSearch& search, const std::string& query,
                               const search::FallbackOptions& options = {}) {
        return *begin(search,
                      {.text = query, .surface = surface_of({"mail", "rain"}), .options = options})
                    .get();
    }

    static std::optional<surface::SimilarAnswer> similar(ToolSearch& search,
                                                         const std::string& tool) {
        std::promise<std::optional<surface::SimilarAnswer>> promise;
        search.find_similar(tool, [&promise](std::optional<surface::SimilarAnswer> answer) {
            promise.set_value(std::move(answer));
        });
        return promise.get_future().get();
    }

    RunningLoop loop;
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

TEST_F(ToolSearchTest, FindsSimilarToolsOfOtherServersByKeywords) {
    const auto search = make();
    EXPECT_FALSE(similar(*search, "zoo__mail")) << "there is no index yet";
    search->show(surface_of({"mail", "rain"}, {"zoo", "farm"}, 7));
    ASSERT_TRUE(search->wait_until_ready(kPatience));

    const auto answer = similar(*search, "zoo__mail");

    ASSERT_TRUE(answer);
    EXPECT_EQ(answer->ids, std::vector<std::string>{"farm__mail"});
    EXPECT_EQ(answer->generation, 7U);
    EXPECT_FALSE(similar(*search, "zoo__snow")) << "the index does not have it";
}

TEST_F(ToolSearchTest, AnOutdatedIndexReportsItsGeneration) {
    const auto search = make();
    search->show(surface_of({"mail"}, {"zoo", "farm"}, 7));
    ASSERT_TRUE(search->wait_until_ready(kPatience));
    for_index->is_stuck = true;
    search->show(surface_of({"mail", "rain"}, {"zoo", "farm"}, 8));
    while (search->progress().indexed < 4) {
        std::this_thread::yield();
    }
    search->show(surface_of({"mail", "rain", "sun"}, {"zoo", "farm"}, 9));

    const auto answer = similar(*search, "zoo__mail");

    ASSERT_TRUE(answer);
    EXPECT_EQ(answer->generation, 8U);
    for_index->is_stuck = false;
}

TEST_F(ToolSearchTest, LookupsOfSimilarToolsLeaveMostOfTheQueueToQueries) {
    const auto search = make({.deadline = 1h, .max_waiting = 8});
    search->show(surface_of({"mail", "rain"}, {"zoo", "farm"}));
    ASSERT_TRUE(search->wait_until_ready(kPatience));
    for_queries->is_stuck = true;
    auto answered =
        begin(*search, {.text = "mail", .surface = surface_of({"mail", "rain"}, {"zoo", "farm"})});
    while (for_queries->embedded == 0) {
        std::this_thread::yield();
    }
    std::atomic<std::size_t> refused = 0;
    std::atomic<std::size_t> done = 0;
    for (int count = 0; count < 5; ++count) {
        search->find_similar("zoo__mail", [&](const std::optional<surface::SimilarAnswer>& answer) {
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

TEST_F(ToolSearchTest, LoadsEmbeddingsOfAnEarlierRun) {
    {
        const auto first = make();
        first->show(surface_of({"mail", "rain"}));
        ASSERT_TRUE(first->wait_until_ready(kPatience));
    }
    EXPECT_EQ(for_index->embedded, 2U);

    const auto second = make();
    second->show(surface_of({"mail", "rain", "sun"}));
    ASSERT_TRUE(second->wait_until_ready(kPatience));

    EXPECT_EQ(for_index->embedded, 3U);
    EXPECT_EQ(second->progress().embedded, 3U);
}

TEST_F(ToolSearchTest, ALateEncoderMeansKeywordSearchOnly) {
    const auto search = make({.deadline = 1ms});
    search->show(surface_of({"mail", "rain"}));
    ASSERT_TRUE(search->wait_until_ready(kPatience));
    for_queries->is_stuck = true;

    const auto answer = found(*search, "mail");

    EXPECT_EQ(answer.step, SearchStep::keyword);
    EXPECT_EQ(answer.tools.front().id, "mail");
}

TEST_F(ToolSearchTest, RetriesAFailedEmbedder) {
    for_index->is_broken = true;
    const auto search = make({.retry_after = 1ms});
    search->show(surface_of({"mail"}));
    while (search->progress().problem != "it is broken") {
        std::this_thread::yield();
    }

    for_index->is_broken = false;

    while (search->progress().embedded == 0) {
        std::this_thread::yield();
    }
    EXPECT_EQ(search->progress().problem, "");
}

TEST_F(ToolSearchTest, SkipsARejectedTextAndEmbedsTheRest) {
    for_index->refused_word = "poison";
    const auto search = make({.retry_after = 1ms});
    std::vector<std::string> tools{"mail", "rain", "poison", "sun", "snow", "wind", "fog"};
    search->show(surface_of(tools));
    ASSERT_TRUE(search->wait_until_ready(kPatience));
    EXPECT_EQ(search->progress().indexed, 7U);
    EXPECT_EQ(search->progress().embedded, 6U);
    EXPECT_EQ(search->progress().problem, "");
    EXPECT_EQ(for_index->refusals, 1U);

    tools.emplace_back("hail");
    search->show(surface_of(tools));

    while (search->progress().embedded < 7) {
        std::this_thread::yield();
    }
    EXPECT_EQ(for_index->refusals, 1U) << "it is not asked for again";
}

TEST_F(ToolSearchTest, AFailingTextDoesNotDelayTheOthers) {
    for_index->failing_word = "poison";
    const auto search = make({.retry_after = 1ms, .max_text_wait = 1h});
    search->show(
        surface_of({"mail", "poison_a", "poison_b", "poison_c", "rain", "sun", "snow", "wind"}));

    while (search->progress().embedded < 5 || search->progress().set_aside < 3) {
        std::this_thread::yield();
    }
    EXPECT_EQ(search->progress().indexed, 8U);
    EXPECT_EQ(search->progress().problem, "");
}

TEST_F(ToolSearchTest, RetriesAFailedText) {
    const auto search = make({.retry_after = 1ms});
    search->show(surface_of({"mail"}));
    ASSERT_TRUE(search->wait_until_ready(kPatience));
    for_index->is_stumbling = true;
    search->show(surface_of({"mail", "stone"}));
    // It fails while a text that was embedded before succeeds.
    while (search->progress().set_aside == 0) {
        std::this_thread::yield();
    }
    EXPECT_EQ(search->progress().problem, "");

    for_index->is_stumbling = false;

    while (search->progress().embedded < 2) {
        std::this_thread::yield();
    }
    EXPECT_EQ(search->progress().set_aside, 0U);
}

TEST_F(ToolSearchTest, EmbedsAllAgainWhenTheEmbedderHasAnotherDimension) {
    {
        const auto first = make();
        first->show(surface_of({"mail", "rain"}));
        ASSERT_TRUE(first->wait_until_ready(kPatience));
    }
    for_index->dimension = 3;
    for_queries->dimension = 3;
    for_index->embedded = 0;

    const auto second = make();
    second->show(surface_of({"mail", "rain", "sun"}));
    ASSERT_TRUE(second->wait_until_ready(kPatience));

    EXPECT_EQ(for_index->embedded, 3U) << "the new one, and then the two that were kept";
    EXPECT_EQ(second->progress().embedded, 3U);
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

TEST_F(ToolSearchTest, AnswersWithoutASearchWhenTooManyQueriesWait) {
    const auto search = make({.max_waiting = 1});
    search->show(surface_of({"mail", "rain"}));
    ASSERT_TRUE(search->wait_until_ready(kPatience));
    for_queries->is_stuck = true;
    std::vector<std::future<Answer>> waiting;
    const surface::FinderQuery query{.text = "mail", .surface = surface_of({"mail", "rain"})};
    waiting.push_back(begin(*search, query));
    while (for_queries->embedded == 0) {
        std::this_thread::yield();
    }
    waiting.push_back(begin(*search, query));  // waits behind the one that is stuck

    EXPECT_TRUE(found(*search, "rain").tools.empty());
    const auto answer = found(*search, "rain", {.min_tools = 1});

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

TEST_F(ToolSearchTest, EndsWhileEverythingIsStuck) {
    for_index->is_stuck = true;
    const auto search = make();
    search->show(surface_of({"mail"}));

    search->stop();

    EXPECT_FALSE(found(*search, "mail", {.min_tools = 1}).tools.empty())
        << "it still answers, without its threads";
}

TEST_F(ToolSearchTest, StopsWhileQueriesWaitForAHangingEmbedder) {
    const auto search = make({.deadline = 1h});
    search->show(surface_of({"mail", "rain"}));
    ASSERT_TRUE(search->wait_until_ready(kPatience));
    for_queries->is_stuck = true;
    const surface::FinderQuery query{.text = "mail", .surface = surface_of({"mail", "rain"})};
    auto running = begin(*search, query);
    while (for_queries->embedded == 0) {
        std::this_thread::yield();
    }
    auto waiting = begin(*search, query);
    loop.wait_until_begun();

    search->stop();

    EXPECT_EQ(running.get()->step, SearchStep::keyword) << "it is answered without the embedder";
    EXPECT_EQ(waiting.wait_for(0s), std::future_status::timeout) << "it goes with its loop";
    EXPECT_EQ(for_queries->embedded, 1U);
}

TEST_F(ToolSearchTest, StopsWhileAQueryWaitsForTheFirstIndex) {
    const auto search = make({.first_index_wait = 1h});
    auto waiting = begin(*search, {.text = "mail", .surface = surface_of({"mail", "rain"})});

    search->stop();

    EXPECT_TRUE(found(*search, "mail").tools.empty());
    if (waiting.wait_for(0s) == std::future_status::ready) {
        EXPECT_TRUE(waiting.get()->tools.empty()) << "it had begun before the stop";
    }
}

TEST_F(ToolSearchTest, AQueryThatIsCancelledWhileItWaitsIsNotSearchedFor) {
    const auto search = make({.deadline = 1h});
    search->show(surface_of({"mail", "rain"}));
    ASSERT_TRUE(search->wait_until_ready(kPatience));
    for_queries->is_stuck = true;
    const surface::FinderQuery query{.text = "mail", .surface = surface_of({"mail", "rain"})};
    auto running = begin(*search, query);
    while (for_queries->embedded == 0) {
        std::this_thread::yield();
    }
    asio::cancellation_signal cancellation;
    std::promise<Answer> cancelled;
    asio::co_spawn(loop.context(), search->find(query, loop.owning()),
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
    EXPECT_EQ(found(*search, "mail").step, SearchStep::hybrid);
    EXPECT_EQ(for_queries->embedded, 2U);
}

TEST_F(ToolSearchTest, StopsWhileTheModelHangsInTheDisk) {
    const auto gate = std::make_shared<test::Gate>();
    auto opened = std::make_shared<std::promise<void>>();
    auto ended = opened->get_future();
    auto builder = std::make_unique<IndexBuilder>(
        IndexBuilderOptions{.finish_within = 1ms},
        [gate, opened = std::move(opened)] {
            gate->pass();
            opened->set_value();
            return LoadedEmbedders{.problem = "it is too late"};
        },
        [](const SearchProblem&) { ADD_FAILURE() << "nobody reads the log any more"; },
        std::make_shared<PublishedIndex>());
    builder->show(surface_of({"mail"}));
    gate->wait_until_entered();

    builder.reset();

    gate->open();
    ended.wait();
}

}  // namespace
}  // namespace holdfast::tool_search
