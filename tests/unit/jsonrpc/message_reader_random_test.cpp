// Compares the reader with another parser on random texts, valid and damaged: both must agree on
// what is JSON, and the reader must find each value's bytes.

#include <gtest/gtest.h>

#include <array>
#include <boost/json/error.hpp>
#include <boost/json/parse.hpp>
#include <cstdlib>
#include <optional>
#include <random>
#include <string>

#include "jsonrpc/message_reader.hpp"
#include "support/seeds.hpp"

namespace holdfast::jsonrpc {
namespace {

using resilience::testing::for_each_seed;
using resilience::testing::random_between;

std::string random_space(std::mt19937_64& random) {
    constexpr std::string_view kSpaces = " \t\n\r";
    std::string space;
    while (random_between(random, 0, 5) == 0) {
        space.push_back(kSpaces[random_between<std::size_t>(random, 0, kSpaces.size() - 1)]);
    }
    return space;
}

template <std::size_t Size>
const char* one_of(std::mt19937_64& random, const std::array<const char*, Size>& choices) {
    return choices[random_between<std::size_t>(random, 0, Size - 1)];
}

std::string random_string(std::mt19937_64& random) {
    constexpr std::array kPieces{"a",      "key",        "\\n",  "\\\"",  "\\\\", "\\u00e9",
                                 "\u00e9", "{",          "}",    "[",     "]",    ",",
                                 ":",      "\U0001F600", "\\/x", "_meta", "id",   "params"};
    std::string text{"\""};
    for (int count = random_between(random, 0, 4); count > 0; --count) {
        text += one_of(random, kPieces);
    }
    return text + "\"";
}

std::string random_value(std::mt19937_64& random, int depth) {
    constexpr std::array kScalars{"0",    "-1",    "1.5",  "1e3",
                                  "true", "false", "null", "12345678901234567890123",
                                  "-0.0", "1E-7"};
    const int kind = random_between(random, 0, depth > 0 ? 5 : 3);
    if (kind < 2) {
        return one_of(random, kScalars);
    }
    if (kind < 4) {
        return random_string(random);
    }
    const bool is_object = kind == 4;
    std::string text{is_object ? "{" : "["};
    for (int count = random_between(random, 0, 4), index = 0; index < count; ++index) {
        text += (index > 0 ? "," : "") + random_space(random);
        if (is_object) {
            text += random_string(random) + random_space(random) + ":" + random_space(random);
        }
        text += random_value(random, depth - 1) + random_space(random);
    }
    return text + (is_object ? "}" : "]");
}

std::string damaged(std::string text, std::mt19937_64& random) {
    constexpr std::string_view kBytes = "{}[]\",:\\ 019.eE+-tfnul\x01\x7f\xc3\xff";
    for (int count = random_between(random, 0, 3); count > 0 && !text.empty(); --count) {
        const auto at = random_between<std::size_t>(random, 0, text.size() - 1);
        const char byte = kBytes[random_between<std::size_t>(random, 0, kBytes.size() - 1)];
        switch (random_between(random, 0, 2)) {
            case 0:
                text[at] = byte;
                break;
            case 1:
                text.insert(at, 1, byte);
                break;
            default:
                text.erase(at, 1);
        }
    }
    return text;
}

/// Nothing if the other parser is stricter than the grammar, or if it converts numbers.
std::optional<bool> is_json_to_another(const std::string& text) {
    boost::system::error_code error;
    boost::json::parse_options options;
    options.max_depth = 600;
    boost::json::parse(text, error, {}, options);
    if (error == boost::json::error::illegal_leading_surrogate ||
        error == boost::json::error::illegal_trailing_surrogate ||
        error == boost::json::error::expected_utf16_escape ||
        error == boost::json::error::exponent_overflow) {
        return std::nullopt;
    }
    return !error;
}

TEST(MessageReaderRandomTest, AgreesWithAnotherParserOnWhatIsJson) {
    MessageReader reader;
    int accepted = 0;
    int refused = 0;
    for_each_seed(20'000, [&](std::mt19937_64& random) {
        const std::string message = R"({"jsonrpc":"2.0","id":1,"method":"m","params":{"v":)" +
                                    random_value(random, 4) + "}}";
        const std::string text = damaged(message, random);
        const auto expected = is_json_to_another(text);
        if (!expected) {
            return;
        }

        const auto read = reader.read(PaddedText{text});

        const bool is_json = read.has_value() || read.error().code != kParseError;
        EXPECT_EQ(is_json, *expected) << text;
        ++(is_json ? accepted : refused);
    });
    if (std::getenv("HOLDFAST_SEED") == nullptr) {
        EXPECT_GT(accepted, 5'000);
        EXPECT_GT(refused, 5'000);
    }
}

TEST(MessageReaderRandomTest, FindsTheBytesOfEveryValue) {
    MessageReader reader;
    for_each_seed(2'000, [&](std::mt19937_64& random) {
        const std::string first = random_value(random, 3);
        const std::string second = random_value(random, 3);
        const std::string space = random_space(random);
        const PaddedText text{R"({"jsonrpc":"2.0","id":1,"method":"m","params":{"first":)" + space +
                              first + space + "," + space + R"("_meta":{"second":)" + second +
                              space + "}" + space + "}}" + space};

        const auto message = reader.read(text);

        ASSERT_TRUE(message.has_value()) << text.view();
        EXPECT_EQ(message->body.find("first"), first);
        EXPECT_EQ(message->meta.find("second"), second);
    });
}

}  // namespace
}  // namespace holdfast::jsonrpc
