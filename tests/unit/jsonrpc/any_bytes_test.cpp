// Texts from outside need not be UTF-8: what is written with them is valid JSON nevertheless.

#include <gtest/gtest.h>

#include <boost/json/parse.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "jsonrpc/json_text.hpp"
#include "jsonrpc/json_writer.hpp"
#include "jsonrpc/message_writer.hpp"
#include "jsonrpc/object_edit.hpp"
#include "jsonrpc/redaction.hpp"

namespace holdfast::jsonrpc {
namespace {

/// Bytes that begin, continue, end and break characters, next to those with a meaning in JSON.
constexpr std::string_view kChosenBytes{
    "\0\x01\n\x1f \"\\/a\x7f\x80\xa0\xbf\xc0\xc1\xc2\xc3\xdf\xe0\xed\xef\xf0\xf4\xf5\xff", 25};

bool is_valid_json(std::string_view text) {
    boost::system::error_code error;
    std::ignore = boost::json::parse({text.data(), text.size()}, error);
    return !error;
}

std::vector<std::string> texts_of(std::size_t size) {
    std::vector<std::string> texts{""};
    for (std::size_t round = 0; round < size; ++round) {
        std::vector<std::string> longer;
        longer.reserve(texts.size() * kChosenBytes.size());
        for (const std::string& text : texts) {
            for (const char byte : kChosenBytes) {
                longer.push_back(text + byte);
            }
        }
        texts = std::move(longer);
    }
    return texts;
}

/// Writes a text at each place where one can be given.
std::vector<std::string> written_everywhere(const std::string& text) {
    JsonWriter writer;
    writer.begin_object().key(text).text(text).key("more").texts(std::vector{text, text});
    writer.key("other").text_or_null(text).text_unless_empty("last", text).end_object();
    const std::vector<std::string> secrets{"secret"};
    const std::string secret_text = R"(["a secret ",)" + quoted_text(text + "secret") + "]";
    return {quoted_text(text),
            writer.take(),
            request_text("1", text, "{}"),
            notification_text(text, "{}"),
            error_text("1", {.code = -1, .message = text, .data = {}}),
            with_member("{}", text, "1"),
            with_member("{}", "key", quoted_text(text)),
            redacted(secret_text, secrets, {})};
}

TEST(AnyBytesTest, EveryShortTextIsValidJson) {
    for (std::size_t size = 0; size <= 3; ++size) {
        for (const std::string& text : texts_of(size)) {
            ASSERT_TRUE(is_valid_json(quoted_text(text))) << testing::PrintToString(text);
        }
    }
}

TEST(AnyBytesTest, EveryPlaceOfATextIsValidJson) {
    for (const std::string& text : texts_of(2)) {
        for (const std::string& json : written_everywhere(text)) {
            ASSERT_TRUE(is_valid_json(json)) << testing::PrintToString(text) << json;
        }
    }
}

TEST(AnyBytesTest, OnlyBytesOutsideOfCharactersAreReplaced) {
    EXPECT_EQ(decoded(quoted_text("\xff")), "\ufffd");
    EXPECT_EQ(decoded(quoted_text("a\xc3(")), "a\ufffd(");
    EXPECT_EQ(decoded(quoted_text("\u00e9\xc3")), "\u00e9\ufffd");
    EXPECT_EQ(decoded(quoted_text("\xed\xa0\x80")), "\ufffd\ufffd\ufffd") << "a lone surrogate";
    EXPECT_EQ(decoded(quoted_text("\xf0\x9f\x98\x80 \xf0\x9f")), "\U0001F600 \ufffd\ufffd");
}

}  // namespace
}  // namespace holdfast::jsonrpc
