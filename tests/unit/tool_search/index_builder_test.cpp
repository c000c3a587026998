#include "tool_search/index_builder.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <future>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "search_world.hpp"
#include "support/gate.hpp"
#include "support/temporary_folder.hpp"

namespace holdfast::tool_search {
namespace {

using namespace std::chrono_literals;
using testing::FakeEmbedder;
using testing::kPatience;
using testing::surface_of;

std::size_t embedded_in(const IndexSnapshot& snapshot) {
    return snapshot.index ? snapshot.index->embedded_count() : 0;
}

class IndexBuilderTest : public ::testing::Test {
protected:
    std::unique_ptr<IndexBuilder> make(const EmbeddingScheduleOptions& embedding = {}) {
        published = std::make_shared<PublishedIndex>();
        return std::make_unique<IndexBuilder>(
            IndexBuilderOptions{.cache_folder = folder.path(), .embedding = embedding},
            [embedder = embedder] {
                return LoadedEmbedders{.for_index = embedder, .for_queries = embedder};
            },
            [](const SearchProblem&) {}, published);
    }
    /// Waits for a snapshot like this.
    template <class Accepts>
    [[nodiscard]] bool publishes(Accepts accepts) const {
        return published->wait_until(std::chrono::steady_clock::now() + kPatience, accepts);
    }
    /// Waits until everything that was shown is indexed and embedded, or cannot be.
    [[nodiscard]] bool settles(const IndexBuilder& builder) const {
        return publishes([shows = builder.shows()](const IndexSnapshot& snapshot) {
            return snapshot.settled_shows == shows;
        });
    }

    const test::TemporaryFolder folder;
    std::shared_ptr<PublishedIndex> published;  // of the builder that was made last
    const std::shared_ptr<FakeEmbedder> embedder = std::make_shared<FakeEmbedder>();
};

TEST_F(IndexBuilderTest, LoadsEmbeddingsOfAnEarlierRun) {
    {
        const auto first = make();
        first->show(surface_of({"mail", "rain"}));
        ASSERT_TRUE(settles(*first));
    }
    EXPECT_EQ(embedder->embedded, 2U);

    const auto second = make();
    second->show(surface_of({"mail", "rain", "sun"}));
    ASSERT_TRUE(settles(*second));

    EXPECT_EQ(embedder->embedded, 3U);
    EXPECT_EQ(embedded_in(*published->current()), 3U);
}

TEST_F(IndexBuilderTest, EmbedsAllAgainWhenTheEmbedderHasAnotherDimension) {
    {
        const auto first = make();
        first->show(surface_of({"mail", "rain"}));
        ASSERT_TRUE(settles(*first));
    }
    embedder->dimension = 3;
    embedder->embedded = 0;

    const auto second = make();
    second->show(surface_of({"mail", "rain", "sun"}));
    ASSERT_TRUE(settles(*second));

    EXPECT_EQ(embedder->embedded, 3U) << "the new one, and then the two that were kept";
    EXPECT_EQ(embedded_in(*published->current()), 3U);
}

TEST_F(IndexBuilderTest, RetriesAFailedEmbedder) {
    embedder->is_broken = true;
    const auto builder = make({.retry_after = 1ms});
    builder->show(surface_of({"mail"}));
    ASSERT_TRUE(publishes(
        [](const IndexSnapshot& snapshot) { return snapshot.problem == "it is broken"; }));

    embedder->is_broken = false;

    ASSERT_TRUE(publishes([](const IndexSnapshot& snapshot) { return embedded_in(snapshot) > 0; }));
    EXPECT_EQ(published->current()->problem, "");
}

TEST_F(IndexBuilderTest, SkipsARejectedTextAndEmbedsTheRest) {
    embedder->refused_word = "poison";
    const auto builder = make({.retry_after = 1ms});
    std::vector<std::string> tools{"mail", "rain", "poison", "sun", "snow", "wind", "fog"};
    builder->show(surface_of(tools));
    ASSERT_TRUE(settles(*builder));
    EXPECT_EQ(published->current()->index->size(), 7U);
    EXPECT_EQ(embedded_in(*published->current()), 6U);
    EXPECT_EQ(published->current()->problem, "");
    EXPECT_EQ(embedder->refusals, 1U);

    tools.emplace_back("hail");
    builder->show(surface_of(tools));

    ASSERT_TRUE(
        publishes([](const IndexSnapshot& snapshot) { return embedded_in(snapshot) == 7; }));
    EXPECT_EQ(embedder->refusals, 1U) << "it is not asked for again";
}

TEST_F(IndexBuilderTest, AFailingTextDoesNotDelayTheOthers) {
    embedder->failing_word = "poison";
    const auto builder = make({.retry_after = 1ms, .max_text_wait = 1h});
    builder->show(
        surface_of({"mail", "poison_a", "poison_b", "poison_c", "rain", "sun", "snow", "wind"}));

    ASSERT_TRUE(publishes([](const IndexSnapshot& snapshot) {
        return embedded_in(snapshot) == 5 && snapshot.set_aside == 3;
    }));
    EXPECT_EQ(published->current()->index->size(), 8U);
    EXPECT_EQ(published->current()->problem, "");
}

TEST_F(IndexBuilderTest, RetriesAFailedText) {
    const auto builder = make({.retry_after = 1ms});
    builder->show(surface_of({"mail"}));
    ASSERT_TRUE(settles(*builder));
    embedder->is_stumbling = true;
    builder->show(surface_of({"mail", "stone"}));
    // It fails while a text that was embedded before succeeds.
    ASSERT_TRUE(publishes([](const IndexSnapshot& snapshot) { return snapshot.set_aside > 0; }));
    EXPECT_EQ(published->current()->problem, "");

    embedder->is_stumbling = false;

    ASSERT_TRUE(publishes([](const IndexSnapshot& snapshot) {
        return embedded_in(snapshot) == 2 && snapshot.set_aside == 0;
    }));
}

TEST_F(IndexBuilderTest, UsesAModelThatIsInstalledLater) {
    published = std::make_shared<PublishedIndex>();
    const auto is_installed = std::make_shared<std::atomic<bool>>(false);
    const auto problems = std::make_shared<std::atomic<int>>(0);
    IndexBuilder builder{
        {},
        [embedder = embedder, is_installed] {
            return *is_installed
                       ? LoadedEmbedders{.for_index = embedder, .for_queries = embedder}
                       : LoadedEmbedders{.problem = "there is no model", .reopen_after = 1ms};
        },
        [problems](const SearchProblem&) { ++*problems; },
        published};
    builder.show(surface_of({"mail", "rain"}));
    ASSERT_TRUE(publishes([](const IndexSnapshot& snapshot) {
        return snapshot.embedders && !snapshot.embedders->for_queries;
    }));

    *is_installed = true;

    EXPECT_TRUE(publishes([](const IndexSnapshot& snapshot) {
        return snapshot.embedders->for_queries && embedded_in(snapshot) == 2;
    }));
    EXPECT_EQ(*problems, 1);
    builder.stop();
}

TEST_F(IndexBuilderTest, StopsWhileTheModelHangsInTheDisk) {
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
