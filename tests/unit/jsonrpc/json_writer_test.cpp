#include "jsonrpc/json_writer.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <optional>
#include <string>
#include <vector>

namespace holdfast::jsonrpc {
namespace {

TEST(JsonWriterTest, SeparatesMembersAndItems) {
    JsonWriter writer;

    writer.begin_object();
    writer.key("a").number(1).key("b").begin_array().text("x").null().end_array();
    writer.key("c").begin_object().end_object().key("d").boolean(true);
    writer.end_object();

    EXPECT_EQ(writer.take(), R"({"a":1,"b":["x",null],"c":{},"d":true})");
}

TEST(JsonWriterTest, WritesMembersWithoutBraces) {
    JsonWriter writer;

    writer.key("a").text("x").key("b").raw("[1]");

    EXPECT_EQ(writer.take(), R"("a":"x","b":[1])");
}

TEST(JsonWriterTest, EscapesKeysAndTexts) {
    JsonWriter writer;

    writer.begin_object().key("a\"").text("b\n").end_object();

    EXPECT_EQ(writer.take(), R"({"a\"":"b\n"})");
}

TEST(JsonWriterTest, SeparatesTextsThatEndLikeAnOpenValue) {
    JsonWriter writer;

    writer.texts(std::vector<std::string>{"{", "[", ":", ""});

    EXPECT_EQ(writer.take(), R"(["{","[",":",""])");
}

TEST(JsonWriterTest, WritesEmptyValuesAsNullOrNotAtAll) {
    JsonWriter writer;

    writer.begin_object();
    writer.key("a").text_or_null("").key("b").text_or_null("x");
    writer.text_unless_empty("c", "").text_unless_empty("d", "y");
    writer.key("e").number_or_null(std::optional<int>{});
    writer.end_object();

    EXPECT_EQ(writer.take(), R"({"a":null,"b":"x","d":"y","e":null})");
}

TEST(JsonWriterTest, RoundsFractionsAndWritesInfinityAsNull) {
    JsonWriter writer;

    writer.begin_array().number(1.5).number(0.0004).number(30.0);
    writer.number(std::numeric_limits<double>::infinity()).end_array();

    EXPECT_EQ(writer.take(), "[1.5,0,30,null]");
}

}  // namespace
}  // namespace holdfast::jsonrpc
