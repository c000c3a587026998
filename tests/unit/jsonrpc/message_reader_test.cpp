#include "jsonrpc/message_reader.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace holdfast::jsonrpc {
namespace {

class MessageReaderTest : public ::testing::Test {
protected:
    Result<Message, ReadFault> read(std::string text) {
        text_ = PaddedText{std::move(text)};
        return reader_.read(text_);
    }

    PaddedText text_;
    MessageReader reader_;
};

TEST_F(MessageReaderTest, ReadsARequestWithoutTouchingItsBytes) {
    const std::string arguments =
        R"({ "n" : 1.0e+2, "big":123456789012345678901234567890,"s":"\u0041\n" })";

    const auto message = read(
        R"( {"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"sum","arguments":)" +
        arguments + R"(,"_meta":{"progressToken":"p", "x/y":[1,2]}},"extra":null} )");

    ASSERT_TRUE(message.has_value());
    EXPECT_EQ(message->kind, MessageKind::request);
    EXPECT_EQ(message->id, "7");
    EXPECT_EQ(message->method, "tools/call");
    EXPECT_EQ(message->body.find("name"), R"("sum")");
    EXPECT_EQ(message->body.find("arguments"), arguments);
    EXPECT_EQ(message->meta.find("progressToken"), R"("p")");
    EXPECT_EQ(message->meta.find("x/y"), "[1,2]");
    EXPECT_EQ(message->body.find("missing"), std::nullopt);
}

TEST_F(MessageReaderTest, DistinguishesTheFourShapes) {
    struct Row {
        const char* text;
        MessageKind kind;
        const char* id;
    };
    const std::vector<Row> rows = {
        {R"({"jsonrpc":"2.0","id":"a","method":"ping"})", MessageKind::request, R"("a")"},
        {R"({"jsonrpc":"2.0","method":"notifications/initialized"})", MessageKind::notification,
         ""},
        {R"({"id":-3,"jsonrpc":"2.0","result":{}})", MessageKind::result, "-3"},
        {R"({"jsonrpc":"2.0","id":0,"error":{"code":-32603,"message":"no"}})", MessageKind::error,
         "0"},
        {R"({"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":""}})", MessageKind::error,
         ""},
        {R"({"jsonrpc":"2.0","error":{"code":-32700,"message":""}})", MessageKind::error, ""},
    };
    for (const Row& row : rows) {
        SCOPED_TRACE(row.text);
        const auto message = read(row.text);
        ASSERT_TRUE(message.has_value()) << message.error().message;
        EXPECT_EQ(message->kind, row.kind);
        EXPECT_EQ(message->id, row.id);
    }
}

TEST_F(MessageReaderTest, RejectsInvalidMessagesWithTheirIdIfKnown) {
    struct Row {
        const char* text;
        const char* id;
    };
    const std::vector<Row> rows = {
        {R"({"id":1,"method":"ping"})", "1"},
        {R"({"jsonrpc":"1.0","id":1,"method":"ping"})", "1"},
        {R"({"jsonrpc":"2.0","id":1,"method":7})", "1"},
        {R"({"jsonrpc":"2.0","id":1,"method":"ping","params":[]})", "1"},
        {R"({"jsonrpc":"2.0","id":null,"method":"ping"})", ""},
        {R"({"jsonrpc":"2.0","id":1.5,"method":"ping"})", ""},
        {R"({"jsonrpc":"2.0","id":{},"method":"ping"})", ""},
        {R"({"jsonrpc":"2.0","id":1,"result":{},"error":{"code":1,"message":""}})", "1"},
        {R"({"jsonrpc":"2.0","id":1,"method":"a","result":{}})", "1"},
        {R"({"jsonrpc":"2.0","id":1,"result":[]})", "1"},
        {R"({"jsonrpc":"2.0","result":{}})", ""},
        {R"({"jsonrpc":"2.0","id":1})", "1"},
        {R"({"jsonrpc":"2.0","id":1,"error":{"message":"x"}})", "1"},
        {R"({"jsonrpc":"2.0","id":1,"error":{"code":"1","message":"x"}})", "1"},
        {R"({"jsonrpc":"2.0","id":1,"error":{"code":1}})", "1"},
        {R"({"jsonrpc":"2.0","id":1,"method":"a","method":"b"})", ""},
        {R"([{"jsonrpc":"2.0","id":1,"method":"ping"}])", ""},
        {"42", ""},
        {R"("text")", ""},
        {"null", ""},
    };
    for (const Row& row : rows) {
        SCOPED_TRACE(row.text);
        const auto message = read(row.text);
        ASSERT_FALSE(message.has_value());
        EXPECT_EQ(message.error().code, kInvalidRequest);
        EXPECT_EQ(message.error().id, row.id);
        EXPECT_FALSE(message.error().message.empty());
    }
}

TEST_F(MessageReaderTest, RejectsJunkAtAnyDepth) {
    const std::vector<std::string> junk = {
        "",
        " ",
        "{",
        "nonsense",
        R"({"jsonrpc":"2.0","id":1,"method":"a","params":{"x":nul}})",
        R"({"jsonrpc":"2.0","id":1,"method":"a","params":{"x":nul, 1 2}})",
        R"({"jsonrpc":"2.0","id":1,"method":"a","params":{"x":01}})",
        R"({"jsonrpc":"2.0","id":1,"method":"a","params":{"x":[1,]}})",
        R"({"jsonrpc":"2.0","id":1,"method":"a","params":{"x":[1 2]}})",
        R"({"jsonrpc":"2.0","id":1,"method":"a","params":{"x":{"y" 1}}})",
        R"({"jsonrpc":"2.0","id":1,"method":"a","params":{"x":"\q"}})",
        R"({"jsonrpc":"2.0","id":1,"method":"a","params":{"x":"\u12"}})",
        R"({"jsonrpc":"2.0","id":1,"method":"a","params":{"\x":1}})",
        R"({"jsonrpc":"2.0","id":1,"method":"a","params":{"x":+1}})",
        R"({"jsonrpc":"2.0","id":1,"method":"a","params":{"x":1.}})",
        R"({"jsonrpc":"2.0","id":1,"method":"a","params":{"x":truee}})",
        R"({"jsonrpc":"2.0","id":1,"method":"a"}})",
        R"({"jsonrpc":"2.0","id":1,"method":"a"} {})",
        R"({"jsonrpc":"2.0","id":1,"method":"a",})",
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"a\",\"params\":{\"x\":\"\x01\"}}",
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"a\",\"params\":{\"x\":\"\xff\xfe\"}}",
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"a\",\"params\":{\"x\":\"\n\"}}",
        std::string{R"({"jsonrpc":"2.0","id":1,"method":"a"})"} + '\0',
    };
    for (const std::string& text : junk) {
        SCOPED_TRACE(text);
        const auto message = read(text);
        ASSERT_FALSE(message.has_value());
        EXPECT_EQ(message.error().code, kParseError);
    }
}

TEST_F(MessageReaderTest, DecodesKeysAndMethodsWithEscapes) {
    const auto message =
        read(R"({"jsonrpc":"2.0","\u0069d":1,"method":"tools\/call","params":{"n\u0061me":"x"}})");

    ASSERT_TRUE(message.has_value());
    EXPECT_EQ(message->id, "1");
    EXPECT_EQ(message->method, "tools/call");
    EXPECT_EQ(message->body.find("name"), R"("x")");
    EXPECT_EQ(message->body.fields().front().key_text, R"("n\u0061me")");
}

TEST_F(MessageReaderTest, AcceptsAnUnpairedSurrogateAsTheGrammarDoes) {
    const auto message = read(
        R"({"jsonrpc":"2.0","id":1,"method":"m","params":{"\ud83d":"\ude00","_meta":{"\udc00":1}}})");

    ASSERT_TRUE(message.has_value());
    EXPECT_EQ(message->body.fields().front().value, R"("\ude00")");
}

TEST_F(MessageReaderTest, LimitsNesting) {
    const auto nested = [](std::size_t depth) {
        return R"({"jsonrpc":"2.0","id":1,"method":"a","params":{"x":)" + std::string(depth, '[') +
               std::string(depth, ']') + "}}";
    };
    const std::size_t inner = ReaderLimits{}.max_depth - 2;  // the message and its params

    EXPECT_TRUE(read(nested(inner)).has_value());
    EXPECT_FALSE(read(nested(inner + 1)).has_value());
    const auto hostile = read(nested(10'000));
    ASSERT_FALSE(hostile.has_value());
    EXPECT_FALSE(read(std::string(1'000'000, '[')).has_value());
}

TEST_F(MessageReaderTest, ReturnsTheIdOfAResponseThatIsNestedTooDeep) {
    const std::string deep = std::string(800, '[') + std::string(800, ']');

    const auto first = read(R"({"jsonrpc":"2.0","id":7,"result":{"x":)" + deep + "}}");
    const auto last = read(R"({"result":{"x":)" + deep + R"(},"jsonrpc":"2.0","id":"a7" })");
    const auto request =
        read(R"({"jsonrpc":"2.0","id":7,"method":"a","params":{"x":)" + deep + "}}");

    ASSERT_FALSE(first || last || request);
    EXPECT_EQ(first.error().id, "7");
    EXPECT_EQ(last.error().id, "\"a7\"");
    EXPECT_EQ(request.error().id, "");
}

TEST_F(MessageReaderTest, QuotesWholeCharactersOnly) {
    // 3 bytes each, so that 40 bytes end inside one.
    const auto read_text = read(
        "{\"a\":\xE6\x9C\x8D\xE6\x9C\x8D\xE6\x9C\x8D\xE6\x9C\x8D\xE6\x9C\x8D"
        "\xE6\x9C\x8D\xE6\x9C\x8D\xE6\x9C\x8D\xE6\x9C\x8D\xE6\x9C\x8D\xE6\x9C\x8D"
        "\xE6\x9C\x8D\xE6\x9C\x8D\xE6\x9C\x8D}");

    ASSERT_FALSE(read_text.has_value());
    EXPECT_TRUE(read_text.error().message.ends_with("\xE6\x9C\x8D\"")) << read_text.error().message;
}

TEST_F(MessageReaderTest, LimitsTheNumberOfMembers) {
    std::string members;
    for (int index = 0; index < 2'000; ++index) {
        members += ",\"k" + std::to_string(index) + "\":0";
    }

    EXPECT_FALSE(read(R"({"jsonrpc":"2.0","method":"a")" + members + "}").has_value());
    EXPECT_TRUE(
        read(R"({"jsonrpc":"2.0","method":"a","params":{"arguments":{"a":0)" + members + "}}}")
            .has_value());
}

TEST_F(MessageReaderTest, ReadsTheMembersOfAValueWithinAMessage) {
    const auto message = read(
        R"({"jsonrpc":"2.0","id":1,"method":"a","params":{"arguments":{"a":{"b":[1]},"c":"d"}}})");
    ASSERT_TRUE(message.has_value());

    const ObjectView arguments = reader_.read_object(text_, *message->body.find("arguments"));

    EXPECT_EQ(arguments.find("a"), R"({"b":[1]})");
    EXPECT_EQ(arguments.find("c"), R"("d")");
    EXPECT_EQ(message->body.fields().size(), 1U) << "the message stays valid";
}

TEST_F(MessageReaderTest, ReadsTheElementsOfAListWithinAMessage) {
    const auto message =
        read(R"({"jsonrpc":"2.0","id":1,"result":{"content":[{"a":[1]}, "x" ,2],"more":{"b":1}}})");
    ASSERT_TRUE(message.has_value());
    const std::string_view more = *message->body.find("more");

    EXPECT_EQ(reader_.read_list(text_, *message->body.find("content")),
              (std::vector<std::string_view>{R"({"a":[1]})", R"("x")", "2"}));
    EXPECT_TRUE(reader_.read_list(text_, more).empty());
}

TEST_F(MessageReaderTest, LimitsTheElementsOfAList) {
    std::string list = "[0";
    for (int element = 1; element < 300; ++element) {
        list += "," + std::to_string(element);
    }
    const PaddedText text{list + "]"};

    const auto elements = reader_.read_list(text, text.view());

    EXPECT_EQ(elements.size(), ReaderLimits{}.max_batch);
    EXPECT_EQ(elements.back(), "99");
}

TEST_F(MessageReaderTest, SplitsABatch) {
    const PaddedText text{R"( [ {"a":1} , {"b":[2, 3]},4 ] )"};

    const auto messages = reader_.split_batch(text);

    ASSERT_TRUE(messages.has_value());
    EXPECT_EQ(*messages, (std::vector<std::string_view>{R"({"a":1})", R"({"b":[2, 3]})", "4"}));
}

TEST_F(MessageReaderTest, LimitsTheSizeOfABatch) {
    const auto batch_of = [](std::size_t count) {
        std::string text = "[0";
        for (std::size_t index = 1; index < count; ++index) {
            text += ",0";
        }
        return PaddedText{text + "]"};
    };

    EXPECT_TRUE(reader_.split_batch(batch_of(100)).has_value());
    EXPECT_FALSE(reader_.split_batch(batch_of(101)).has_value());
    EXPECT_FALSE(reader_.split_batch(PaddedText{"[]"}).has_value());
    EXPECT_FALSE(reader_.split_batch(PaddedText{"[1,]"}).has_value());
}

}  // namespace
}  // namespace holdfast::jsonrpc
