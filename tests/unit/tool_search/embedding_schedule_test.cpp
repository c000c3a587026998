#include "tool_search/embedding_schedule.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

namespace holdfast::tool_search {
namespace {

using namespace std::chrono_literals;
using Tools = EmbeddingSchedule::Tools;

const search::EmbedError kBroken{.message = "it is broken"};
const search::EmbedError kNotAsked{.code = search::EmbedErrc::left_alone, .message = "too often"};

class EmbeddingScheduleTest : public ::testing::Test {
protected:
    void show(const std::vector<std::string>& names) {
        std::vector<search::ToolDocument> documents;
        for (const std::string& name : names) {
            documents.push_back({.id = name, .name = name, .description = "about " + name});
        }
        writer.replace_all(std::move(documents));
    }
    std::vector<std::string> next() {
        std::vector<std::string> ids;
        for (const auto& tool : batch = schedule.next_batch(writer, now)) {
            ids.push_back(tool.id);
        }
        return ids;
    }
    void succeed() {
        for (const auto& tool : batch) {
            writer.set_embedding(tool, embedding);
            schedule.on_embedded(tool);
        }
        schedule.on_batch_done(now);
    }
    bool fail(const search::EmbedError& error = kBroken) {
        return schedule.on_batch_failed(batch, error, now);
    }

    using Names = std::vector<std::string>;
    const std::shared_ptr<const search::Embedding> embedding =
        std::make_shared<const search::Embedding>(std::vector<std::int16_t>{1, 0});
    resilience::TimePoint now{};
    search::IndexWriter writer;
    EmbeddingSchedule schedule{{.batch = 4, .retry_after = 5s, .max_text_wait = 20s}};
    Tools batch;
};

TEST_F(EmbeddingScheduleTest, EmbedsInBatchesUntilNothingIsLeft) {
    show({"a", "b", "c", "d", "e"});

    EXPECT_EQ(next().size(), 4U);
    succeed();
    EXPECT_EQ(next().size(), 1U);
    succeed();

    EXPECT_EQ(next(), Names{});
    EXPECT_EQ(schedule.rest(now), std::nullopt) << "until there are new tools";
}

TEST_F(EmbeddingScheduleTest, HalvesABatchThatFailsAndGrowsItAgain) {
    show({"a", "b", "c", "d", "e", "f", "g"});
    EXPECT_EQ(next().size(), 4U);
    EXPECT_TRUE(fail());
    EXPECT_EQ(schedule.problem(), "it is broken");

    EXPECT_EQ(next().size(), 2U);
    succeed();

    EXPECT_EQ(schedule.problem(), "");
    EXPECT_EQ(next().size(), 4U);
}

TEST_F(EmbeddingScheduleTest, BlamesTheEmbedderWhenSeveralTextsInARowFailAlone) {
    show({"a", "b", "c", "d"});
    EXPECT_EQ(next().size(), 4U);
    EXPECT_TRUE(fail());
    EXPECT_EQ(next().size(), 2U);
    EXPECT_TRUE(fail());
    EXPECT_EQ(next(), Names{"a"});
    EXPECT_TRUE(fail());
    EXPECT_EQ(next(), Names{"b"});

    EXPECT_FALSE(fail()) << "the second in a row";

    EXPECT_EQ(schedule.rest(now), 5s);
    EXPECT_EQ(schedule.problem(), "it is broken");
    EXPECT_EQ(schedule.set_aside(), 0U) << "no text is known to be at fault";
}

TEST_F(EmbeddingScheduleTest, BlamesATextThatFailsAloneWhenAnotherSucceeds) {
    show({"a", "b"});
    EXPECT_EQ(next().size(), 2U);
    EXPECT_TRUE(fail());
    EXPECT_EQ(next(), Names{"a"});
    EXPECT_TRUE(fail());
    EXPECT_EQ(next(), Names{"b"});
    succeed();

    EXPECT_EQ(schedule.problem(), "");
    EXPECT_EQ(schedule.set_aside(), 1U);
    EXPECT_EQ(next(), Names{});
    EXPECT_EQ(schedule.rest(now), 5s);
    now += 5s;
    EXPECT_EQ(next(), Names{"a"}) << "it is tried again, alone";
    EXPECT_TRUE(fail());
    EXPECT_EQ(next(), Names{});
    EXPECT_EQ(schedule.rest(now), 10s) << "the wait doubles";
    EXPECT_EQ(schedule.problem(), "") << "the embedder works";
}

TEST_F(EmbeddingScheduleTest, RetriesASuccessfulTextToTestTheEmbedder) {
    show({"good"});
    EXPECT_EQ(next(), Names{"good"});
    succeed();
    show({"good", "bad"});
    EXPECT_EQ(next(), Names{"bad"});
    EXPECT_TRUE(fail());

    EXPECT_EQ(next(), Names{"good"});
    EXPECT_FALSE(fail()) << "it is the embedder";

    EXPECT_EQ(schedule.rest(now), 5s);
    EXPECT_EQ(schedule.set_aside(), 0U);
}

TEST_F(EmbeddingScheduleTest, BlamesNoTextWhenTheEmbedderWasNotCalled) {
    show({"a"});
    EXPECT_EQ(next(), Names{"a"});

    EXPECT_FALSE(fail(kNotAsked));

    EXPECT_EQ(schedule.problem(), "too often");
    EXPECT_EQ(schedule.rest(now), 5s);
    EXPECT_EQ(next(), Names{"a"});
}

TEST_F(EmbeddingScheduleTest, NeverRetriesARejectedText) {
    show({"a", "b"});
    EXPECT_EQ(next().size(), 2U);
    schedule.on_refused(batch.front());
    writer.set_embedding(batch.back(), embedding);
    schedule.on_embedded(batch.back());
    schedule.on_batch_done(now);

    EXPECT_EQ(next(), Names{});
    EXPECT_EQ(schedule.set_aside(), 1U);
    now += 1h;
    EXPECT_EQ(next(), Names{});
    EXPECT_EQ(schedule.rest(now), std::nullopt);
}

}  // namespace
}  // namespace holdfast::tool_search
