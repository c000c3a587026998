#include "search/encoder/model_file.hpp"

#include <gtest/gtest.h>

#include <string>

#include "search/model_conversion.hpp"
#include "small_model.hpp"

namespace holdfast::search::encoder {
namespace {

TEST(ModelFileTest, ReadsWhatWasWritten) {
    const std::string bytes = small_model({"mail", "weather"});

    const auto view = view_model(bytes);

    ASSERT_TRUE(view.has_value()) << view.error().message;
    EXPECT_EQ(view->header.dimension, 16U);
    EXPECT_EQ(view->layers.size(), 1U);
    EXPECT_EQ(view->token_ends.size(), 105U);
    EXPECT_TRUE(view->token_texts.ends_with("mailweather"));
    EXPECT_FLOAT_EQ(view->layers[0].outer.matrix.scale, 0.5F);
    EXPECT_EQ(view->layers[0].outer.matrix.rows, 32U);
    EXPECT_NE(view->checksum, 0U);
}

TEST(ModelFileTest, RejectsOtherFiles) {
    EXPECT_EQ(view_model("").error().code, ModelErrc::not_a_model);
    EXPECT_EQ(view_model(std::string(1'000, 'x')).error().code, ModelErrc::not_a_model);
}

TEST(ModelFileTest, RejectsAnotherVersion) {
    std::string bytes = small_model({"mail"});
    bytes[8] = 2;

    EXPECT_EQ(view_model(bytes).error().message, "it has another version of the format");
}

TEST(ModelFileTest, RejectsATruncatedFile) {
    const std::string bytes = small_model({"mail"});

    for (std::size_t size = 0; size < bytes.size(); size += 61) {
        EXPECT_FALSE(view_model(std::string_view{bytes}.substr(0, size)).has_value()) << size;
    }
}

TEST(ModelFileTest, RejectsAFileWithAnyChangedByte) {
    std::string bytes = small_model({"mail"});

    for (std::size_t index = 0; index < bytes.size(); ++index) {
        const bool is_reserved = index >= 56 && index < 64;
        if (!is_reserved) {
            bytes[index] = static_cast<char>(bytes[index] ^ 4);
            EXPECT_FALSE(view_model(bytes).has_value()) << index;
            bytes[index] = static_cast<char>(bytes[index] ^ 4);
        }
    }
}

TEST(ModelConversionTest, RejectsInvalidDescriptions) {
    EXPECT_EQ(converted_model({.model_json = "{", .tokenizer_json = "{}"}).error().message,
              "a description is not JSON");
    EXPECT_EQ(converted_model({.model_json = "{}", .tokenizer_json = "[]"}).error().message,
              "a description has an unexpected form");
    EXPECT_EQ(converted_model({.model_json = R"({"weightsManifest":[{"weights":[
                                   {"name":"a","shape":[9],"quantization":{"dtype":"uint8",
                                    "scale":1,"min":0}}]}]})",
                               .weights = "12345678",
                               .tokenizer_json = "{}"})
                  .error()
                  .message,
              "the weights do not match their description");
    EXPECT_EQ(converted_model({.model_json = R"({"weightsManifest":[{"weights":[]}]})",
                               .tokenizer_json = R"({"model":{"vocab":{"a":0}}})"})
                  .error()
                  .message,
              "the weights have no unknown");
}

}  // namespace
}  // namespace holdfast::search::encoder
