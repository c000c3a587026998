#include "search/ranking.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "search/index_writer.hpp"

namespace holdfast::search {
namespace {

Embedding direction(float x, float y) {
    return Embedding{std::vector<float>{x, y}};
}

class RankingTest : public testing::Test {
protected:
    void add(const std::string& id, const std::string& server, const std::string& description,
             const Embedding* embedding) {
        const ToolDocument document{
            .id = id, .name = id, .server = server, .description = description};
        writer_.put(document);
        if (embedding != nullptr) {
            writer_.set_embedding({.id = id, .text = embedding_text(document)},
                                  std::make_shared<const Embedding>(*embedding));
        }
    }

    std::vector<std::string> found(std::string_view text, const std::vector<Embedding>& embeddings,
                                   const FusionOptions& options = {}) {
        const auto index = writer_.snapshot();
        std::vector<std::string> ids;
        for (const RankedTool& tool :
             hybrid_ranking(*index, read_query(text), embeddings, 10, options)) {
            ids.push_back(index->document(tool.position).id);
        }
        return ids;
    }

    IndexWriter writer_;
    const Embedding east_ = direction(1, 0);
    const Embedding north_ = direction(0, 1);
};

using Ids = std::vector<std::string>;

TEST_F(RankingTest, FindsTheNearestFirst) {
    const Embedding between = direction(1, 1);
    add("north", "", "x", &north_);
    add("between", "", "x", &between);
    add("east", "", "x", &east_);

    EXPECT_EQ(found("query", {east_}), (Ids{"east", "between"}));
}

TEST_F(RankingTest, CombinesWordsAndMeaning) {
    add("far_invoice", "", "invoice", &north_);
    add("near", "", "x", &east_);
    add("near_invoice", "", "invoice", &east_);

    EXPECT_EQ(found("invoice", {east_}), (Ids{"near_invoice", "near", "far_invoice"}));
}

TEST_F(RankingTest, AWeakKeywordMatchCountsLittle) {
    const Embedding near = direction(1, 0.8F);
    add("shares_one_word", "", "ticket", &near);
    add("means_it", "", "x", &east_);

    EXPECT_EQ(found("ticket zebra giraffe lion tiger elephant", {east_}).front(), "means_it");
    EXPECT_EQ(found("ticket", {east_}).front(), "shares_one_word");
}

TEST_F(RankingTest, FindsAToolForEachSentence) {
    for (const char* id : {"a1", "a2", "a3"}) {
        add(id, "", "x", &east_);
    }
    const Embedding nearly_north = direction(0.2F, 1);
    add("b", "", "x", &nearly_north);

    const auto ids = found("First thing. Second thing.", {direction(1, 1), east_, north_});

    EXPECT_EQ(ids.at(0), "a1");
    EXPECT_EQ(ids.at(1), "b");
}

TEST_F(RankingTest, RanksOtherToolsOfAMatchingServerHigher) {
    const Embedding near = direction(1, 1);
    add("a_stranger", "other", "x", &near);
    add("b_sibling", "maps", "x", &near);
    add("c_exact", "maps", "x", &east_);

    EXPECT_EQ(found("query", {east_}), (Ids{"c_exact", "b_sibling", "a_stranger"}));
    EXPECT_EQ(found("query", {east_}, {.server_support = 0.0F}),
              (Ids{"c_exact", "a_stranger", "b_sibling"}));
}

TEST_F(RankingTest, DoesNotPenaliseAToolWithoutAnEmbedding) {
    add("invoice_new", "", "invoice", nullptr);
    add("invoice_far", "", "invoice", &north_);
    add("near", "", "x", &east_);

    const Ids ids = found("invoice", {east_});

    EXPECT_EQ(ids.size(), 3U);
    EXPECT_LT(std::ranges::find(ids, "invoice_new"), std::ranges::find(ids, "invoice_far"));
}

TEST_F(RankingTest, IgnoresToolsThatAreNeitherSimilarNorShareAWord) {
    add("north", "", "x", &north_);

    EXPECT_EQ(found("query", {east_}), Ids{});
    EXPECT_EQ(found("north", {east_}), Ids{"north"});
}

TEST(EmbeddingTest, ComputesTheCosine) {
    EXPECT_NEAR(cosine(direction(3, 4), direction(3, 4)), 1.0F, 1e-4);
    EXPECT_NEAR(cosine(direction(1, 0), direction(1, 1)), 0.70711F, 1e-4);
    EXPECT_NEAR(cosine(direction(1, 0), direction(-2, 0)), -1.0F, 1e-4);
    EXPECT_FLOAT_EQ(cosine(direction(1, 0), direction(0, 0)), 0.0F);
    EXPECT_FLOAT_EQ(cosine(direction(1, 0), Embedding{}), 0.0F);
}

TEST(EmbeddingTest, DoesNotOverflowForEqualVectorsOfAnyDimension) {
    for (const std::size_t dimension : {1U, 2U, 384U, 4'096U}) {
        const Embedding embedding{std::vector<float>(dimension, -7.0F)};
        EXPECT_NEAR(cosine(embedding, embedding), 1.0F, 0.02F) << dimension;
    }
}

}  // namespace
}  // namespace holdfast::search
