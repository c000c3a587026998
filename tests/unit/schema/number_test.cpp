#include <gtest/gtest.h>

#include "schema_text.hpp"

namespace holdfast::schema {
namespace {

TEST(NumberTest, ComparesAcrossRepresentations) {
    EXPECT_TRUE(accepts(R"({"const": 1})", "1.0"));
    EXPECT_TRUE(accepts(R"({"const": 18446744073709551615})", "18446744073709551615"));
    EXPECT_FALSE(accepts(R"({"const": 9007199254740993})", "9007199254740992.0"));
    EXPECT_FALSE(accepts(R"({"maximum": 9007199254740992.0})", "9007199254740993"));
    EXPECT_TRUE(accepts(R"({"maximum": 18446744073709551615})", "-1"));
    EXPECT_FALSE(accepts(R"({"minimum": -9223372036854775808})", "-1e30"));
    EXPECT_TRUE(accepts(R"({"exclusiveMinimum": 1})", "1.5"));
    EXPECT_FALSE(accepts(R"({"exclusiveMaximum": -1.5})", "-1"));
    EXPECT_TRUE(accepts(R"({"exclusiveMaximum": -1.5})", "-2"));
}

TEST(NumberTest, TreatsWholeNumbersAsIntegers) {
    EXPECT_TRUE(accepts(R"({"type": "integer"})", "1.0"));
    EXPECT_TRUE(accepts(R"({"type": "integer"})", "1e300"));
    EXPECT_FALSE(accepts(R"({"type": "integer"})", "1.5"));
    EXPECT_TRUE(accepts(R"({"type": "integer"})", "123456789012345678901234567890"));
    EXPECT_TRUE(accepts(R"({"minLength": 2.0})", R"("ab")"));
}

TEST(NumberTest, DividesDecimalsExactly) {
    EXPECT_TRUE(accepts(R"({"multipleOf": 0.01})", "19.99"));
    EXPECT_TRUE(accepts(R"({"multipleOf": 0.1})", "0.3"));
    EXPECT_TRUE(accepts(R"({"multipleOf": 0.0001})", "0.0075"));
    EXPECT_FALSE(accepts(R"({"multipleOf": 0.0001})", "0.00751"));
    EXPECT_TRUE(accepts(R"({"multipleOf": 1e-300})", "1e300"));
    EXPECT_FALSE(accepts(R"({"multipleOf": 1e300})", "1e-300"));
    EXPECT_FALSE(accepts(R"({"multipleOf": 0.123456789})", "1e308"));
    EXPECT_TRUE(accepts(R"({"multipleOf": 18446744073709551615})", "18446744073709551615"));
    EXPECT_FALSE(accepts(R"({"multipleOf": 18446744073709551615})", "-9223372036854775808"));
    EXPECT_TRUE(accepts(R"({"multipleOf": 2})", "-9223372036854775808"));
    EXPECT_TRUE(accepts(R"({"multipleOf": 7})", "0.0"));
}

TEST(NumberTest, FindsEqualItemsAcrossRepresentations) {
    EXPECT_FALSE(accepts(R"({"uniqueItems": true})", "[1, 1.0]"));
    EXPECT_FALSE(
        accepts(R"({"uniqueItems": true})", "[9223372036854775808, 9223372036854775808.0]"));
    EXPECT_FALSE(accepts(R"({"uniqueItems": true})", R"([{"a":1,"b":[0]}, {"b":[-0.0],"a":1.0}])"));
    EXPECT_TRUE(accepts(R"({"uniqueItems": true})", "[0, false, null, \"\", [], {}]"));
}

}  // namespace
}  // namespace holdfast::schema
