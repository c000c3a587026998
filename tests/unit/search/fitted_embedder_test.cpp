#include "search/fitted_embedder.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace holdfast::search {
namespace {

/// Records the texts that it is given.
class RecordingEmbedder final : public Embedder {
public:
    [[nodiscard]] std::string_view model_name() const override { return "recording"; }
    [[nodiscard]] Embeddings embed(std::span<const std::string> given,
                                   const StopSignal& /*should_stop*/) const override {
        texts.assign(given.begin(), given.end());
        const std::vector<float> direction{1.0F, 0.0F};
        return std::vector<Embedding>(given.size(), Embedding{std::span{direction}});
    }
    mutable std::vector<std::string> texts;
};

using Texts = std::vector<std::string>;

TEST(FittedEmbedderTest, KeepsTextsThatFitUnchanged) {
    RecordingEmbedder inner;
    const FittedEmbedder fitted{inner, {.max_bytes = 100}};

    const auto embedded = fitted.embed(Texts{"one. two.", "one", "two"}, {});

    ASSERT_TRUE(embedded);
    EXPECT_EQ(embedded->size(), 3U);
    EXPECT_EQ(inner.texts, (Texts{"one. two.", "one", "two"}));
    EXPECT_EQ(fitted.model_name(), "recording");
}

TEST(FittedEmbedderTest, GivesTheFirstTextHalfTheBudgetAndSkipsWhatDoesNotFit) {
    RecordingEmbedder inner;
    const FittedEmbedder fitted{inner, {.max_bytes = 80, .min_text_bytes = 10}};

    const auto embedded =
        fitted.embed(Texts{std::string(200, 'w'), std::string(35, 'a'), std::string(30, 'b')}, {});

    ASSERT_TRUE(embedded);
    EXPECT_EQ(inner.texts, (Texts{std::string(40, 'w'), std::string(35, 'a')}));
    EXPECT_EQ(embedded->at(1).dimension(), 2U);
    EXPECT_EQ(embedded->at(2).dimension(), 0U);
    EXPECT_EQ(cosine(embedded->at(2), embedded->at(0)), 0.0F);
}

TEST(FittedEmbedderTest, GivesASmallBudgetToTheFirstText) {
    RecordingEmbedder inner;
    const FittedEmbedder fitted{inner, {.max_bytes = 12, .min_text_bytes = 10}};

    ASSERT_TRUE(fitted.embed(Texts{std::string(20, 'w'), std::string(15, 'a')}, {}));

    EXPECT_EQ(inner.texts, Texts{std::string(10, 'w')});
}

TEST(FittedEmbedderTest, CutsAtCharacterBoundaries) {
    RecordingEmbedder inner;
    const FittedEmbedder fitted{inner, {.max_bytes = 4, .min_text_bytes = 1}};

    ASSERT_TRUE(fitted.embed(Texts{"abcé"}, {}));

    EXPECT_EQ(inner.texts, Texts{"abc"});
}

TEST(FittedEmbedderTest, FailsWithoutBudgetForTheQuery) {
    RecordingEmbedder inner;
    const FittedEmbedder fitted{inner, {.max_bytes = 5}};

    const auto embedded = fitted.embed(Texts{"find my invoices"}, {});

    ASSERT_FALSE(embedded);
    EXPECT_EQ(embedded.error().code, EmbedErrc::too_late);
    EXPECT_TRUE(inner.texts.empty());
}

}  // namespace
}  // namespace holdfast::search
