#include "search/tool_index.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "search/index_writer.hpp"
#include "search/ranking.hpp"

namespace holdfast::search {
namespace {

ToolDocument tool(std::string id, std::string description, std::string server = {}) {
    return {
        .id = id, .name = id, .server = std::move(server), .description = std::move(description)};
}

std::vector<std::string> found(const ToolIndex& index, std::string_view query,
                               std::size_t count = 10) {
    std::vector<std::string> ids;
    for (const RankedTool& ranked : keyword_ranking(index, read_query(query), count)) {
        ids.push_back(index.document(ranked.position).id);
    }
    return ids;
}

using Ids = std::vector<std::string>;

TEST(ToolIndexTest, FindsToolsThatShareAWordBestFirst) {
    IndexWriter writer;
    writer.put(tool("get_weather", "Current weather for a city"));
    writer.put(tool("city_info", "Population, mayor and weather of a city or a region of a land"));
    writer.put(tool("send_mail", "Sends a message"));

    EXPECT_EQ(found(*writer.snapshot(), "weather in the city"), (Ids{"get_weather", "city_info"}));
}

TEST(ToolIndexTest, FindsNothingForUnknownWords) {
    IndexWriter writer;
    writer.put(tool("send_mail", "Sends a message"));

    EXPECT_EQ(found(*writer.snapshot(), "zebra"), Ids{});
    EXPECT_EQ(found(*writer.snapshot(), ""), Ids{});
    EXPECT_EQ(found(ToolIndex{}, "mail"), Ids{});
}

TEST(ToolIndexTest, CountsAWordInTheNameMoreThanInAParameter) {
    IndexWriter writer;
    ToolDocument by_parameter = tool("archive", "Stores");
    by_parameter.parameters = {{.name = "invoice", .description = "the invoice"}};
    writer.put(by_parameter);
    writer.put(tool("invoice", "Stores"));

    EXPECT_EQ(found(*writer.snapshot(), "invoice"), (Ids{"invoice", "archive"}));
}

TEST(ToolIndexTest, ScoresAsTheFormulaSays) {
    IndexWriter writer;
    writer.put({.id = "a", .name = "mail", .server = "post", .description = "mail mail"});
    writer.put({.id = "b", .name = "other", .description = "thing"});
    const auto index = writer.snapshot();

    const auto ranked = keyword_ranking(*index, read_query("mail"), 1);

    // Weighted count 3 + 2 * 2, length 8, mean length (8 + 5) / 2.
    const double rarity = std::log(1.0 + (2 - 1 + 0.5) / 1.5);
    const double norm = 1.2 * (0.5 + 0.5 * 8 / 6.5);
    ASSERT_EQ(ranked.size(), 1U);
    EXPECT_NEAR(ranked[0].score, rarity * 7 * 2.2 / (7 + norm), 1e-5);
    EXPECT_NEAR(ranked[0].coverage, 1.0, 1e-6);
}

TEST(ToolIndexTest, ReportsTheCoveredShareOfTheQuery) {
    IndexWriter writer;
    writer.put(tool("a", "mail"));
    writer.put(tool("b", "other"));
    const auto index = writer.snapshot();

    const auto ranked = keyword_ranking(*index, read_query("mail zebra"), 1);

    // The word that no tool has is the rarest and counts most.
    const double mail = std::log(1.0 + 1.5 / 1.5);
    const double zebra = std::log(1.0 + 2.5 / 0.5);
    ASSERT_EQ(ranked.size(), 1U);
    EXPECT_NEAR(ranked[0].coverage, mail / (mail + zebra), 1e-6);
}

TEST(ToolIndexTest, OrdersEqualScoresById) {
    IndexWriter writer;
    for (const char* id : {"c", "a", "b"}) {
        writer.put({.id = id, .name = "same", .description = "mail"});
    }

    EXPECT_EQ(found(*writer.snapshot(), "mail", 2), (Ids{"a", "b"}));
}

TEST(ToolIndexTest, SurvivesAQueryOfTenMegabytes) {
    IndexWriter writer;
    writer.put(tool("send_mail", "Sends a message"));
    std::string query = "mail ";
    query.append(10'000'000, '\x01');

    EXPECT_EQ(found(*writer.snapshot(), query), Ids{"send_mail"});
}

TEST(IndexWriterTest, ReplacesAndRemoves) {
    IndexWriter writer;
    writer.put(tool("a", "mail"));
    writer.put(tool("b", "mail"));
    const auto before = writer.snapshot();
    writer.put(tool("a", "weather"));
    EXPECT_TRUE(writer.remove("b"));
    EXPECT_FALSE(writer.remove("b"));
    const auto after = writer.snapshot();

    EXPECT_EQ(found(*before, "mail"), (Ids{"a", "b"}));
    EXPECT_EQ(found(*after, "mail"), Ids{});
    EXPECT_EQ(found(*after, "weather"), Ids{"a"});
    EXPECT_EQ(after->size(), 1U);
}

TEST(IndexWriterTest, ReplacesTheCatalogue) {
    IndexWriter writer;
    writer.replace_all({tool("a", "mail"), tool("b", "mail")});

    EXPECT_EQ(writer.replace_all({tool("b", "mail"), tool("c", "mail")}), 0U);

    EXPECT_EQ(found(*writer.snapshot(), "mail"), (Ids{"b", "c"}));
}

TEST(IndexWriterTest, RejectsToolsAboveTheLimit) {
    IndexWriter writer{{.max_tools = 1}};

    EXPECT_EQ(writer.replace_all({tool("a", "mail"), tool("b", "mail")}), 1U);
    EXPECT_FALSE(writer.put(tool("c", "mail")));
    EXPECT_TRUE(writer.put(tool("a", "weather")));

    EXPECT_EQ(writer.size(), 1U);
}

TEST(IndexWriterTest, LimitsTheNumberOfParametersRead) {
    IndexWriter writer{{.document = {.max_parameters = 2, .max_parameter_terms = 3}}};
    ToolDocument document = tool("a", "mail");
    for (int number = 0; number < 1'000; ++number) {
        document.parameters.push_back({.name = "p" + std::to_string(number), .description = "x y"});
    }
    writer.put(document);
    const auto index = writer.snapshot();

    EXPECT_EQ(found(*index, "p0"), Ids{"a"});
    EXPECT_EQ(found(*index, "p1"), Ids{});
}

/// The history of an index must not affect its answers.
TEST(IndexWriterTest, AnswersLikeAFreshIndexAfterAnyChanges) {
    const std::vector<std::string> words = {"mail", "weather", "city", "send", "stock", "price",
                                            "user", "photo",   "map",  "news", "team",  "invoice"};
    for (unsigned seed = 1; seed <= 50; ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        std::minstd_rand random{seed};
        const auto pick = [&](std::size_t count) { return random() % count; };
        IndexWriter writer{{.tools_per_segment = 4}};
        std::map<std::string, ToolDocument> model;
        for (int step = 0; step < 60; ++step) {
            const std::string id = "t" + std::to_string(pick(25));
            if (pick(3) == 0) {
                EXPECT_EQ(writer.remove(id), model.erase(id) == 1);
            } else {
                ToolDocument document = tool(id, words[pick(12)] + " " + words[pick(12)],
                                             "s" + std::to_string(pick(3)));
                writer.put(document);
                model[id] = document;
            }
            if (pick(4) == 0) {
                std::ignore = writer.snapshot();
            }
        }
        IndexWriter fresh;
        for (const auto& [id, document] : model) {
            fresh.put(document);
        }
        const std::string query = words[pick(12)] + " " + words[pick(12)];
        EXPECT_EQ(found(*writer.snapshot(), query), found(*fresh.snapshot(), query));
        EXPECT_EQ(writer.snapshot()->size(), model.size());
    }
}

TEST(IndexWriterTest, ListsPendingToolsUntilTheyAreEmbedded) {
    IndexWriter writer;
    writer.put(tool("a", "mail", "post"));
    writer.put(tool("b", "weather", "post"));

    const auto pending = writer.pending(10);
    ASSERT_EQ(pending.size(), 2U);
    EXPECT_EQ(pending[0].text, "post a: mail");
    EXPECT_EQ(writer.pending(1).size(), 1U);

    const auto embedding = std::make_shared<const Embedding>(std::vector<float>{1.0F, 0.0F});
    for (const auto& one : pending) {
        writer.set_embedding(one, embedding);
    }
    EXPECT_TRUE(writer.pending(10).empty());
    EXPECT_EQ(writer.snapshot()->embedded_count(), 2U);
}

TEST(IndexWriterTest, IgnoresTheEmbeddingOfAnOlderText) {
    IndexWriter writer;
    writer.put(tool("a", "mail"));
    const auto old = writer.pending(1);
    const auto embedding = std::make_shared<const Embedding>(std::vector<float>{1.0F, 0.0F});
    writer.set_embedding(old.at(0), embedding);
    writer.put(tool("a", "weather"));
    EXPECT_EQ(writer.snapshot()->embedded_count(), 0U);

    writer.set_embedding(old.at(0), embedding);

    EXPECT_EQ(writer.snapshot()->embedded_count(), 0U);
}

TEST(IndexWriterTest, KeepsTheEmbeddingWhenOnlyAParameterChanges) {
    IndexWriter writer;
    ToolDocument document = tool("a", "mail");
    writer.put(document);
    writer.set_embedding(writer.pending(1).at(0),
                         std::make_shared<const Embedding>(std::vector<float>{1.0F, 0.0F}));
    document.parameters = {{.name = "to"}};
    writer.put(document);

    EXPECT_EQ(writer.snapshot()->embedded_count(), 1U);
}

}  // namespace
}  // namespace holdfast::search
