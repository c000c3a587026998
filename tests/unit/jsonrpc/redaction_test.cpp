#include "jsonrpc/redaction.hpp"

#include <gtest/gtest.h>

#include <array>
#include <boost/json.hpp>
#include <cstddef>
#include <random>
#include <string>

namespace holdfast::jsonrpc {
namespace {

const std::array<std::string, 2> kSecrets{"hunter2/x", "12345678"};

TEST(RedactionTest, KeepsOrdinaryJsonUnchanged) {
    for (const std::string text :
         {R"({"a":[1,-2.5e3,true,null,"x\n\u00e9"],"b":{}})", "[]", R"("text")", "7", "{}"}) {
        EXPECT_EQ(redacted(text, kSecrets), text);
    }
    EXPECT_EQ(redacted(" { \"a\" : [ 1 , 2 ] } ", {}), R"({"a":[1,2]})");
}

TEST(RedactionTest, ReplacesValuesOfSecretKeys) {
    EXPECT_EQ(
        redacted(R"({"token":"abc","q":"x","apiKey":{"a":["}",1]},"Password":5,"n":1})", {}),
        R"({"token":"[redacted]","q":"x","apiKey":"[redacted]","Password":"[redacted]","n":1})");
    EXPECT_EQ(redacted(R"({"a":[{"authorization":["Bearer x"]}]})", {}),
              R"({"a":[{"authorization":"[redacted]"}]})");
}

TEST(RedactionTest, DecodesEscapesInKeys) {
    EXPECT_EQ(redacted(R"({"\u0074oken":"abc"})", {}), R"({"\u0074oken":"[redacted]"})");
}

TEST(RedactionTest, ShowsBooleansAndNullOfSecretKeys) {
    EXPECT_EQ(redacted(R"({"token":null,"key":true,"auth":false})", {}),
              R"({"token":null,"key":true,"auth":false})");
}

TEST(RedactionTest, ReplacesKnownSecretsEverywhere) {
    EXPECT_EQ(
        redacted(R"({"q":"a hunter2/x b","hunter2/x":1,"n":12345678,"m":[912345678.5]})", kSecrets),
        R"({"q":"a [redacted] b","[redacted]":1,"n":"[redacted]","m":["[redacted]"]})");
}

TEST(RedactionTest, FindsSecretsWrittenWithEscapes) {
    EXPECT_EQ(redacted(R"(["hunter2\/x","\u0068unter2/x \"!\""])", kSecrets),
              R"(["[redacted]","[redacted] \"!\""])");
    EXPECT_TRUE(holds_secret(R"(["hunter2\/x"])", kSecrets));
    EXPECT_TRUE(holds_secret(R"({"a\n":12345678})", kSecrets));
    EXPECT_TRUE(holds_secret(R"({"12345678":1})", kSecrets));
    EXPECT_FALSE(holds_secret(R"({"a":"hunter2\nx"})", kSecrets));
    EXPECT_FALSE(holds_secret(R"({"a":"hunter2/x"})", {}));
}

TEST(RedactionTest, CutsLongStringsBetweenCharacters) {
    EXPECT_EQ(redacted(R"(["aaaaaaa","äää","ok"])", {}, {.max_string_bytes = 5}),
              R"(["aaaaa…","ää…","ok"])");
    EXPECT_EQ(redacted(std::string(300, '1'), {}), R"("[cut]")");
}

TEST(RedactionTest, HidesASecretAcrossTheCut) {
    EXPECT_EQ(redacted(R"("aaahunter2/xbbb")", kSecrets, {.max_string_bytes = 6}), R"("aaa[re…")");
}

TEST(RedactionTest, ClosesOpenBracketsAtTheCut) {
    EXPECT_EQ(redacted(R"({"a":[1,2,3,4],"b":5})", {}, {.max_bytes = 9}), R"({"a":[1,2,"[cut]"]})");
    EXPECT_EQ(redacted(R"({"a":1,"b":5,"c":6})", {}, {.max_bytes = 7}), R"({"a":1,"…":"[cut]"})");
}

TEST(RedactionTest, OmitsValuesThatAreTooDeep) {
    EXPECT_EQ(redacted(R"([[[1,{"a":"]"}]],2])", {}, {.max_depth = 2}), R"([["[cut]"],2])");
    const std::string deep = std::string(500'000, '[') + std::string(500'000, ']');
    EXPECT_LT(redacted(deep, {}).size(), 100U);
}

TEST(RedactionTest, TerminatesOnInvalidJson) {
    for (const std::string text : {"", "{", "[}", "[1", R"({"a)", R"({"token":)", R"({"token":[[)",
                                   "\"", R"("\)", "]", ",:"}) {
        EXPECT_LT(redacted(text, {}).size(), 4'000U) << text;
    }
}

boost::json::value random_value(std::mt19937& random, int depth) {
    const unsigned pick = static_cast<unsigned>(random()) % (depth > 0 ? 7U : 5U);
    switch (pick) {
        case 0:
            return nullptr;
        case 1:
            return random() % 2 == 0;
        case 2:
            return static_cast<std::int64_t>(random());
        case 3:
            return boost::json::string(random() % 40, static_cast<char>(random() % 128));
        case 4:
            return boost::json::string("\"\\ é hunter2/x \n");
        case 5: {
            boost::json::array items;
            for (unsigned i = static_cast<unsigned>(random()) % 5; i > 0; --i) {
                items.push_back(random_value(random, depth - 1));
            }
            return items;
        }
        default: {
            boost::json::object members;
            for (unsigned i = static_cast<unsigned>(random()) % 5; i > 0; --i) {
                members.emplace((random() % 3 == 0 ? "token" : "k\"") + std::to_string(i),
                                random_value(random, depth - 1));
            }
            return members;
        }
    }
}

TEST(RedactionTest, ReturnsJsonWithoutSecretsForAnyJson) {
    for (std::uint32_t seed = 0; seed < 2'000; ++seed) {
        std::mt19937 random{seed};
        const std::string text = boost::json::serialize(random_value(random, 5));
        const RedactionLimits limits{.max_bytes = random() % 300,
                                     .max_string_bytes = random() % 30,
                                     .max_depth = random() % 6};

        const std::string shown = redacted(text, kSecrets, limits);

        boost::json::error_code error;
        std::ignore = boost::json::parse(shown, error);
        EXPECT_FALSE(error) << "seed " << seed << "\n" << text << "\n" << shown;
        EXPECT_FALSE(holds_secret(shown, kSecrets)) << "seed " << seed << "\n" << shown;
    }
}

}  // namespace
}  // namespace holdfast::jsonrpc
