#include "mcp/header_value.hpp"

#include <gtest/gtest.h>

#include <random>
#include <string>

#include "mcp/base64.hpp"

namespace holdfast::mcp {
namespace {

TEST(HeaderValueTest, EncodesPlainTextLiterally) {
    for (const char* text : {"us-west1", "", "a b\tc", "42", "~!#"}) {
        EXPECT_EQ(header_value_of(text), text);
    }
}

TEST(HeaderValueTest, EncodesOtherTextAsBase64) {
    EXPECT_EQ(header_value_of("Hello, 世界"), "=?base64?SGVsbG8sIOS4lueVjA==?=");
    EXPECT_EQ(header_value_of(" padded "), "=?base64?IHBhZGRlZCA=?=");
    EXPECT_EQ(header_value_of("a\nb"), "=?base64?YQpi?=");
    EXPECT_EQ(header_value_of("=?base64?YQ==?="), "=?base64?PT9iYXNlNjQ/WVE9PT89?=");
}

TEST(HeaderValueTest, DecodesBothForms) {
    EXPECT_EQ(text_of_header_value("us-west1"), "us-west1");
    EXPECT_EQ(text_of_header_value("  us-west1\t"), "us-west1");
    EXPECT_EQ(text_of_header_value(""), "");
    EXPECT_EQ(text_of_header_value("=?base64?SGVsbG8sIOS4lueVjA==?="), "Hello, 世界");
    EXPECT_EQ(text_of_header_value("=?BASE64?YQ==?="), "=?BASE64?YQ==?=") << "markers are exact";
    EXPECT_EQ(text_of_header_value("=?base64?YQ=="), "=?base64?YQ==") << "not encoded, so literal";
}

TEST(HeaderValueTest, RejectsInvalidBase64) {
    for (const char* value : {"=?base64?YQ?=", "=?base64?YQ=?=", "=?base64?Y!==?=",
                              "=?base64?YR==?=", "=?base64?====?=", "=?base64?YQ==YQ==?="}) {
        EXPECT_EQ(text_of_header_value(value), std::nullopt) << value;
    }
}

TEST(HeaderValueTest, DecodingReversesEncodingForAnyBytes) {
    std::mt19937_64 random{1};
    for (int round = 0; round < 2'000; ++round) {
        std::string bytes(random() % 20, '\0');
        for (char& byte : bytes) {
            byte = static_cast<char>(random());
        }
        ASSERT_EQ(text_of_header_value(header_value_of(bytes)), bytes);
        ASSERT_EQ(bytes_of_base64(base64_of(bytes)), bytes);
    }
}

}  // namespace
}  // namespace holdfast::mcp
