#include "search/fallback_chain.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "search/index_writer.hpp"

namespace holdfast::search {
namespace {

/// Has two directions: texts about mail, and all others.
class FakeEmbedder final : public Embedder {
public:
    [[nodiscard]] std::string_view model_name() const override { return "fake"; }
    [[nodiscard]] Embeddings embed(std::span<const std::string> texts,
                                   const StopSignal& should_stop) const override {
        if (!failure.empty()) {
            return EmbedError{.message = failure};
        }
        if (should_stop && should_stop()) {
            return EmbedError{.code = EmbedErrc::too_late, .message = "embedding took too long"};
        }
        std::vector<Embedding> embeddings;
        for (const std::string& text : texts) {
            const bool is_mail =
                text.find("mail") != std::string::npos || text.find("letter") != std::string::npos;
            embeddings.emplace_back(
                std::vector<float>{is_mail ? 1.0F : 0.0F, is_mail ? 0.0F : 1.0F});
        }
        return embeddings;
    }

    std::string failure;
};

class FallbackChainTest : public testing::Test {
protected:
    FallbackChainTest() {
        add("send_mail", "post", "Sends a mail");
        add("read_mail", "post", "Reads a mail");
        add("get_weather", "sky", "Weather of a city");
        embed();
    }

    void add(const std::string& id, const std::string& server, const std::string& description) {
        documents_.push_back({.id = id, .name = id, .server = server, .description = description});
        writer_.put(documents_.back());
        index_ = writer_.snapshot();
    }

    void embed() {
        for (const auto& pending : writer_.pending(100)) {
            const auto embeddings = embedder_.embed(std::vector{pending.text}, {});
            writer_.set_embedding(pending, std::make_shared<const Embedding>(embeddings->at(0)));
        }
        index_ = writer_.snapshot();
    }

    SearchAnswer find(std::string_view query) {
        std::vector<ListedTool> catalogue;
        for (const ToolDocument& document : documents_) {
            catalogue.push_back({.id = document.id, .server = document.server});
        }
        request_.query = query;
        request_.catalogue = catalogue;
        return find_tools(request_, options_);
    }

    static std::vector<std::string> ids(const SearchAnswer& answer) {
        std::vector<std::string> ids;
        for (const FoundTool& tool : answer.tools) {
            ids.push_back(tool.id);
        }
        return ids;
    }

    IndexWriter writer_;
    std::vector<ToolDocument> documents_;
    std::shared_ptr<const ToolIndex> index_;
    FakeEmbedder embedder_;
    FallbackOptions options_;
    SearchRequest request_;
};

using Ids = std::vector<std::string>;

TEST_F(FallbackChainTest, FindsByMeaningWithoutACommonWord) {
    request_.index = index_.get();
    request_.embedder = &embedder_;

    const SearchAnswer answer = find("a letter");

    EXPECT_EQ(answer.step, SearchStep::hybrid);
    EXPECT_TRUE(answer.left.empty());
    EXPECT_EQ(ids(answer), (Ids{"read_mail", "send_mail"}));
    ASSERT_TRUE(answer.tools[0].ranking.has_value());
    EXPECT_NEAR(answer.tools[0].ranking->nearness, 1.0F, 1e-3);
}

TEST_F(FallbackChainTest, FallsBackToKeywordsWithoutAnEmbedder) {
    request_.index = index_.get();
    request_.why_no_embedder = "there is no model";

    const SearchAnswer answer = find("weather");

    EXPECT_EQ(answer.step, SearchStep::keyword);
    EXPECT_EQ(answer.left, (std::vector<StepLeft>{{SearchStep::hybrid, "there is no model"}}));
    EXPECT_EQ(ids(answer), Ids{"get_weather"});
}

TEST_F(FallbackChainTest, FallsBackToKeywordsWhenTheEmbedderFails) {
    request_.index = index_.get();
    request_.embedder = &embedder_;
    embedder_.failure = "broken";

    const SearchAnswer answer = find("weather");

    EXPECT_EQ(answer.step, SearchStep::keyword);
    EXPECT_EQ(answer.left.at(0).reason, "broken");
}

TEST_F(FallbackChainTest, FallsBackToKeywordsWhenTheEmbedderIsLate) {
    request_.index = index_.get();
    request_.embedder = &embedder_;
    request_.is_late = [] { return true; };

    const SearchAnswer answer = find("weather");

    EXPECT_EQ(answer.step, SearchStep::keyword);
    EXPECT_EQ(answer.left.at(0).reason, "embedding took too long");
}

TEST_F(FallbackChainTest, FallsBackToKeywordsUntilAToolIsEmbedded) {
    IndexWriter writer;
    writer.put(documents_[2]);
    const auto index = writer.snapshot();
    request_.index = index.get();
    request_.embedder = &embedder_;

    const SearchAnswer answer = find("weather");

    EXPECT_EQ(answer.step, SearchStep::keyword);
    EXPECT_EQ(answer.left.at(0).reason, "no tool is embedded yet");
}

TEST_F(FallbackChainTest, FallsBackToTheConfiguredToolsWhenNothingMatches) {
    request_.index = index_.get();
    options_.fallback_tools = {"gone", "get_weather"};

    const SearchAnswer answer = find("zebra");

    EXPECT_EQ(answer.step, SearchStep::fallback_tools);
    EXPECT_EQ(ids(answer), Ids{"get_weather"});
    ASSERT_EQ(answer.left.size(), 2U);
    EXPECT_EQ(answer.left[1].reason, "found no tool");
}

TEST_F(FallbackChainTest, AddsTheFallbackToolsToAnEmptyAnswerWithoutAMinimum) {
    request_.index = index_.get();
    options_.min_tools = 0;
    options_.fallback_tools = {"get_weather", "read_mail"};

    EXPECT_EQ(ids(find("zebra")), (Ids{"get_weather", "read_mail"}));
    EXPECT_EQ(ids(find("send")), Ids{"send_mail"}) << "something was found";
}

TEST_F(FallbackChainTest, IsEmptyWithoutAMatchAMinimumAndFallbackTools) {
    request_.index = index_.get();

    const SearchAnswer answer = find("zebra");

    EXPECT_TRUE(answer.tools.empty());
    EXPECT_EQ(answer.step, std::nullopt);
    EXPECT_EQ(name_of(answer.step), "none");
    EXPECT_EQ(answer.left, (std::vector<StepLeft>{
                               {SearchStep::hybrid, "search by meaning is off"},
                               {SearchStep::keyword, "found no tool"},
                               {SearchStep::fallback_tools, "no fallback tools are configured"}}));
}

TEST_F(FallbackChainTest, ReportsFallbackToolsThatDoNotExist) {
    request_.index = index_.get();
    options_.fallback_tools = {"gone"};

    EXPECT_EQ(find("zebra").left.at(2).reason, "none of the configured fallback tools exists");
}

TEST_F(FallbackChainTest, KeepsFoundToolsAndAddsAllFallbackTools) {
    request_.index = index_.get();
    options_.min_tools = 2;
    options_.fallback_tools = {"get_weather", "send_mail", "read_mail"};

    const SearchAnswer answer = find("weather");

    EXPECT_EQ(answer.step, SearchStep::keyword) << "the first that found something";
    EXPECT_EQ(ids(answer), (Ids{"get_weather", "send_mail", "read_mail"}));
    EXPECT_EQ(answer.tools[0].step, SearchStep::keyword);
    EXPECT_EQ(answer.tools[1].step, SearchStep::fallback_tools);
    EXPECT_EQ(answer.tools[2].step, SearchStep::fallback_tools);
    EXPECT_EQ(answer.left.at(1).reason, "found 1 tool; the minimum is 2");
    EXPECT_EQ(answer.left.size(), 2U);
}

TEST_F(FallbackChainTest, AddsCatalogueToolsUpToTheMinimumWhenSomethingWasFound) {
    add("get_time", "clock", "Time of day");
    request_.index = index_.get();
    options_.min_tools = 3;
    options_.fallback_tools = {"read_mail"};

    const SearchAnswer answer = find("weather");

    EXPECT_EQ(answer.step, SearchStep::keyword);
    EXPECT_EQ(ids(answer), (Ids{"get_weather", "read_mail", "send_mail"}));
    EXPECT_EQ(answer.tools[2].step, SearchStep::all_tools);
    EXPECT_EQ(answer.left.at(2).reason, "found 1 tool; the minimum is 3");
}

TEST_F(FallbackChainTest, AddsCatalogueToolsUpToTheMaximumWhenNothingWasFound) {
    add("get_time", "clock", "Time of day");
    request_.index = index_.get();
    options_.min_tools = 1;
    options_.max_tools = 3;

    const SearchAnswer answer = find("zebra");

    EXPECT_EQ(answer.step, SearchStep::all_tools);
    EXPECT_EQ(ids(answer), (Ids{"send_mail", "read_mail", "get_weather"}));
}

TEST_F(FallbackChainTest, LimitsTheMinimumToTheMaximum) {
    request_.index = index_.get();
    options_.min_tools = 9;
    options_.max_tools = 2;

    EXPECT_EQ(find("weather").tools.size(), 2U);
}

TEST_F(FallbackChainTest, IgnoresIndexedToolsThatAreNoLongerListed) {
    request_.index = index_.get();
    request_.is_listed = [](std::string_view id) { return id != "get_weather"; };
    options_.fallback_tools = {"send_mail"};

    const SearchAnswer answer = find("weather");

    EXPECT_EQ(ids(answer), Ids{"send_mail"});
    EXPECT_EQ(answer.left.at(1).reason,
              "the index is out of date: the tools that it found are gone");
}

TEST_F(FallbackChainTest, FallsBackToAllToolsInCatalogueOrder) {
    request_.index = index_.get();
    request_.embedder = &embedder_;
    options_.min_tools = 1;

    const SearchAnswer answer = find("");

    EXPECT_EQ(answer.step, SearchStep::all_tools);
    EXPECT_EQ(ids(answer), (Ids{"send_mail", "read_mail", "get_weather"}));
    EXPECT_EQ(answer.left, (std::vector<StepLeft>{
                               {SearchStep::hybrid, "the query is empty"},
                               {SearchStep::keyword, "the query is empty"},
                               {SearchStep::fallback_tools, "no fallback tools are configured"}}));
}

TEST_F(FallbackChainTest, ReportsAMissingOrEmptyIndex) {
    options_.min_tools = 1;
    EXPECT_EQ(find("mail").left.at(1).reason, "there is no index yet");

    const ToolIndex empty;
    request_.index = &empty;
    const SearchAnswer answer = find("mail");

    EXPECT_EQ(answer.left.at(1).reason, "the index is empty");
    EXPECT_EQ(answer.step, SearchStep::all_tools);
    EXPECT_EQ(answer.tools.size(), 3U);
}

TEST_F(FallbackChainTest, AnEmptyCatalogueGivesAnEmptyAnswer) {
    documents_.clear();
    options_.min_tools = 1;

    EXPECT_TRUE(find("mail").tools.empty());
}

TEST_F(FallbackChainTest, StopsAtTheStepThatFindsEnough) {
    request_.index = index_.get();
    options_.min_tools = 2;
    options_.fallback_tools = {"get_weather"};

    const SearchAnswer answer = find("mail");

    EXPECT_EQ(ids(answer), (Ids{"read_mail", "send_mail"}));
    EXPECT_EQ(answer.left.size(), 1U);
}

TEST_F(FallbackChainTest, ReturnsAtMostTheMaximumInEveryStep) {
    request_.index = index_.get();
    options_.max_tools = 1;
    options_.min_tools = 1;

    EXPECT_EQ(find("mail").tools.size(), 1U);
    EXPECT_EQ(find("zebra").tools.size(), 1U);
    options_.fallback_tools = {"send_mail", "read_mail"};
    EXPECT_EQ(ids(find("zebra")), Ids{"send_mail"});
}

TEST_F(FallbackChainTest, PutsUnavailableToolsLastAndMarksThem) {
    request_.index = index_.get();
    request_.is_available = [](const ListedTool& tool) { return tool.id != "read_mail"; };

    const SearchAnswer answer = find("mail");

    EXPECT_EQ(ids(answer), (Ids{"send_mail", "read_mail"}));
    EXPECT_TRUE(answer.tools[0].is_available);
    EXPECT_FALSE(answer.tools[1].is_available);
}

TEST_F(FallbackChainTest, PrefersAnAvailableCandidateBeyondTheMaximum) {
    request_.index = index_.get();
    options_.max_tools = 1;
    request_.is_available = [](const ListedTool& tool) { return tool.id != "read_mail"; };

    EXPECT_EQ(ids(find("mail")), Ids{"send_mail"});
}

TEST_F(FallbackChainTest, LimitsToolsPerServer) {
    add("mail_weather", "sky", "Sends the weather by mail once a day to everybody who wants it");
    embed();
    request_.index = index_.get();
    options_.max_per_server = 1;

    EXPECT_EQ(ids(find("mail")), (Ids{"read_mail", "mail_weather"}));
    options_.min_tools = 3;
    EXPECT_EQ(ids(find("mail")), (Ids{"read_mail", "mail_weather", "send_mail"}))
        << "the minimum is stronger than the cap";
}

}  // namespace
}  // namespace holdfast::search
