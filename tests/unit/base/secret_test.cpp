#include "base/secret.hpp"

#include <gtest/gtest.h>

#include <array>
#include <string>

namespace holdfast::base {
namespace {

TEST(SecretTest, RecognisesNamesOfSecrets) {
    for (const char* name :
         {"TOKEN",  "GITHUB_TOKEN",    "accessToken",   "key",        "apiKey",
          "APIKey", "apikey",          "api-key",       "x_api_key",  "DB_PASSWORD",
          "passwd", "client_secret",   "GITHUB_PAT",    "pat",        "AUTH_HEADER",
          "X-Auth", "AWS_CREDENTIALS", "Authorization", "Set-Cookie", "dbPwd",
          "jwt"}) {
        EXPECT_TRUE(is_secret_name(name)) << name;
    }
}

TEST(SecretTest, DoesNotMatchOtherNames) {
    for (const char* name : {"", "HOME", "PATH", "BASE_URL", "COMPATIBLE", "PORT", "keyword",
                             "keywords", "author", "pattern", "path", "query"}) {
        EXPECT_FALSE(is_secret_name(name)) << name;
    }
}

TEST(SecretTest, ReplacesEverySecret) {
    const std::array<std::string, 3> secrets{"hunter2", "hunter22", "äöü"};

    EXPECT_EQ(without_secrets("a hunter2, hunter22 and äöü", secrets),
              "a [redacted], [redacted] and [redacted]");
    EXPECT_EQ(without_secrets("hunter", secrets), "hunter");
    EXPECT_EQ(without_secrets("all of it", {}), "all of it");
}

TEST(SecretTest, FindsASecret) {
    const std::array<std::string, 2> secrets{"", "hunter2"};

    EXPECT_TRUE(has_secret("my hunter2!", secrets));
    EXPECT_FALSE(has_secret("my hunter", secrets));
}

TEST(SecretTest, ComparesWholeSecrets) {
    EXPECT_TRUE(is_same_secret("hunter2", "hunter2"));
    for (const char* shown : {"", "hunter", "hunter22", "Hunter2", "hunter3"}) {
        EXPECT_FALSE(is_same_secret("hunter2", shown)) << shown;
    }
}

}  // namespace
}  // namespace holdfast::base
