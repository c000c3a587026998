#include "search/sentence_encoder.hpp"

#include <gtest/gtest.h>

#include <boost/json.hpp>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "published_model.hpp"

namespace holdfast::test {
namespace {

using search::Embedding;
using search::encoder::Kernels;
using search::encoder::SentenceEncoder;

const std::string kReference = HOLDFAST_REFERENCE_FOLDER;

std::vector<std::string> reference_texts() {
    std::vector<std::string> texts;
    const auto entries = boost::json::parse(content_of_file(kReference + "/texts.json"));
    for (const auto& entry : entries.as_array()) {
        const auto& object = entry.as_object();
        const std::string once{object.at("text").as_string()};
        const auto* repeat = object.if_contains("repeat");
        std::string text;
        for (std::int64_t count = repeat == nullptr ? 1 : repeat->as_int64(); count > 0; --count) {
            text += once;
        }
        texts.push_back(std::move(text));
    }
    return texts;
}

/// Returns the embeddings that another program computed with the same model and float weights.
std::vector<Embedding> reference_embeddings() {
    const std::string bytes = content_of_file(kReference + "/vectors.bin");
    constexpr std::size_t kDimension = 384;
    std::vector<Embedding> embeddings;
    for (std::size_t start = 0; start < bytes.size(); start += kDimension * 2) {
        std::vector<std::int16_t> steps(kDimension);
        std::memcpy(steps.data(), bytes.data() + start, kDimension * 2);
        embeddings.emplace_back(std::move(steps));
    }
    return embeddings;
}

class SentenceEncoderTest : public PublishedModelTest {
protected:
    /// Checks every `stride`-th text of the reference.
    static void expect_near_reference(const Kernels& kernels, std::size_t stride) {
        const std::vector<std::string> texts = reference_texts();
        const std::vector<Embedding> expected = reference_embeddings();
        ASSERT_GE(texts.size(), 200U);
        ASSERT_EQ(texts.size(), expected.size());
        const SentenceEncoder encoder{view(), kernels};

        for (std::size_t index = 0; index < texts.size(); index += stride) {
            const auto embeddings = encoder.embed(std::span{texts}.subspan(index, 1), {});
            ASSERT_TRUE(embeddings.has_value());
            EXPECT_GE(cosine(embeddings->at(0), expected[index]), 0.9999F)
                << "text " << index << ": " << texts[index].substr(0, 80);
        }
    }
};

TEST_F(SentenceEncoderTest, MatchesTheReferenceWithTheBestKernels) {
    expect_near_reference(search::encoder::best_kernels(), 1);
}

TEST_F(SentenceEncoderTest, MatchesTheReferenceWithEveryOtherKernel) {
    for (const Kernels* kernels :
         {search::encoder::avx2_kernels(), &search::encoder::plain_kernels()}) {
        if (kernels != nullptr && kernels != &search::encoder::best_kernels()) {
            SCOPED_TRACE(std::string{kernels->name});
            expect_near_reference(*kernels, 10);
        }
    }
}

TEST_F(SentenceEncoderTest, EmbeddingDoesNotDependOnTheBatch) {
    const SentenceEncoder encoder{view()};
    const std::vector<std::string> texts = {"send a mail", "weather in Paris",
                                            "a much longer text about neither of the two"};

    const auto together = encoder.embed(texts, {});

    ASSERT_TRUE(together.has_value());
    for (std::size_t index = 0; index < texts.size(); ++index) {
        const auto alone = encoder.embed(std::vector{texts[index]}, {});
        ASSERT_TRUE(alone.has_value());
        EXPECT_EQ(together->at(index), alone->at(0));
    }
}

TEST_F(SentenceEncoderTest, StopsOnRequest) {
    const SentenceEncoder encoder{view()};
    int asked = 0;

    const auto embeddings =
        encoder.embed(std::vector<std::string>{"send a mail"}, [&asked] { return ++asked == 3; });

    ASSERT_FALSE(embeddings.has_value());
    EXPECT_EQ(embeddings.error().code, search::EmbedErrc::too_late);
    EXPECT_EQ(asked, 3);
}

TEST_F(PublishedModelTest, RejectsAModelWithOneChangedByte) {
    std::string bytes{model_->bytes()};
    bytes[bytes.size() / 2] = static_cast<char>(bytes[bytes.size() / 2] ^ 1);
    const ModelInMemory changed{bytes};

    const auto view = search::encoder::view_model(changed.bytes());

    ASSERT_FALSE(view.has_value());
    EXPECT_EQ(view.error().code, search::encoder::ModelErrc::damaged);
}

TEST_F(PublishedModelTest, RejectsAnotherArchive) {
    std::string archive = package_archive();
    archive.back() = static_cast<char>(archive.back() ^ 1);

    const auto model = tool_search::model_of_package(archive);

    ASSERT_FALSE(model.has_value());
    EXPECT_NE(model.error().message.find("SHA-256"), std::string::npos);
}

}  // namespace
}  // namespace holdfast::test
