#include "runtime/loading/credentials.hpp"

#include <gtest/gtest.h>

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::runtime {
namespace {

using Kind = config::CredentialSource::Kind;

CredentialStore store_of(std::map<std::string, std::string, std::less<>> variables,
                         std::map<std::string, std::string, std::less<>> files = {}) {
    return {.environment = [variables = std::move(variables)](
                               std::string_view name) -> std::optional<std::string> {
                const auto found = variables.find(name);
                return found == variables.end() ? std::nullopt : std::optional{found->second};
            },
            .read_file = [files = std::move(files)](const std::string& path)
                -> resilience::Result<std::string, rest::FileFault> {
                const auto found = files.find(path);
                if (found == files.end()) {
                    return rest::FileFault{"is not there"};
                }
                return found->second;
            }};
}

config::Credential header_from(std::vector<config::CredentialSource> sources) {
    return {.sources = std::move(sources), .header = "X-Key"};
}

TEST(LookedUpCredentialsTest, HaveTheValuesOfVariablesAndFiles) {
    const auto found = looked_up_credentials(
        {header_from({{.kind = Kind::agent_header, .name = "x-key"},
                      {.kind = Kind::variable, .name = "KEY"},
                      {.kind = Kind::file, .name = "key.txt"}})},
        store_of({{"KEY", "secret-1"}}, {{"key.txt", "secret-2\r\n"}}), false);

    ASSERT_TRUE(found);
    ASSERT_EQ(found->headers.size(), 1U);
    const auto& sources = found->headers[0].sources;
    ASSERT_EQ(sources.size(), 3U);
    EXPECT_EQ(sources[0].agent_header, "x-key");
    EXPECT_EQ(sources[1].value, "secret-1");
    EXPECT_EQ(sources[2].value, "secret-2");
    EXPECT_EQ(found->agent_headers, std::vector<std::string>{"x-key"});
    EXPECT_EQ(found->secrets, (std::vector<std::string>{"secret-1", "secret-2"}));
}

TEST(LookedUpCredentialsTest, GoToAVariableOfAProgram) {
    const auto found = looked_up_credentials({{.sources = {{.name = "OURS"}}, .variable = "ITS"}},
                                             store_of({{"OURS", "value"}}), false);

    ASSERT_TRUE(found);
    EXPECT_EQ(found->variables,
              (std::vector<config::NamedText>{{.name = "ITS", .value = "value"}}));
    EXPECT_TRUE(found->headers.empty());
}

TEST(LookedUpCredentialsTest, AreRequiredAtTheStartIfNoAgentCanSendThem) {
    const std::vector<config::Credential> wanted{header_from({{.name = "KEY"}})};

    const auto missed = looked_up_credentials(wanted, store_of({}), false);
    const auto later = looked_up_credentials(wanted, store_of({{"KEY", ""}}), true);

    ASSERT_FALSE(missed);
    EXPECT_EQ(missed.error().message,
              "it needs a credential that is not set; set the variable KEY for the gateway");
    ASSERT_TRUE(later);
    EXPECT_TRUE(later->headers[0].sources.empty());
    EXPECT_EQ(later->headers[0].missing,
              "This server needs a credential that is not set: set the variable KEY for the "
              "gateway. Nothing was sent.");
}

TEST(LookedUpCredentialsTest, MayBeMissingIfTheyAreNotRequired) {
    config::Credential credential = header_from({{.name = "KEY"}});
    credential.is_required = false;

    EXPECT_TRUE(looked_up_credentials({credential}, store_of({}), false));
}

TEST(LookedUpCredentialsTest, AreRefusedWithALineEndAndNeverShown) {
    const auto found = looked_up_credentials({header_from({{.name = "KEY"}})},
                                             store_of({{"KEY", "a\r\nX-Evil: b"}}), false);

    ASSERT_FALSE(found);
    EXPECT_EQ(found.error().message,
              "the value of its credential is too long or has a line end in it; set the variable "
              "KEY for the gateway as one line");
}

}  // namespace
}  // namespace holdfast::runtime
