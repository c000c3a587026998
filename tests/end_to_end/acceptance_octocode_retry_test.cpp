// The preset `octocode`: what is retried, how often, after which delays, and the final result for
// the agent.

#include <array>
#include <chrono>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "end_to_end/octocode_scene.hpp"
#include "support/process_watch.hpp"
#include "support/test_agent/json_text.hpp"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;
using std::chrono::milliseconds;

constexpr int kRate = 20;
constexpr AgentLeg kHttpAgent = kAcceptanceLegs[1];
/// What the machine may add to a delay.
constexpr milliseconds kNoise = 900ms;

template <class Row>
std::string name_of_row(const testing::TestParamInfo<Row>& info) {
    return info.param.name;
}

struct CategoryRow {
    std::string name;
    std::string tool;
    std::string words;  ///< Of an error that is tried again.
    std::vector<milliseconds> delays;
    std::chrono::seconds timeout = {};
    std::vector<milliseconds> delays_up_to_cap = {};  ///< If there were six attempts.
};

void PrintTo(const CategoryRow& row, std::ostream* out) {
    *out << row.tool;
}

class OctocodeCategories : public testing::TestWithParam<CategoryRow> {
protected:
    void start(int rate) {
        scene_.scene().add_server("octo", server_.stdio_entry(kOctocodePreset));
        scene_.start(kHttpAgent, rate, row_.tool);
    }

    const CategoryRow row_ = GetParam();
    TroubledServer server_{{unmarked_tool(row_.tool)}};
    Acceptance scene_;
};

TEST_P(OctocodeCategories, RetriesAfterItsDelaysAndPassesOnTheLastErrorUnchanged) {
    start(1);  // the true figures
    server_.does({fails_with("first " + row_.words), fails_with("second " + row_.words),
                  fails_with("third " + row_.words), fails_with("fourth " + row_.words)});
    const std::array<std::string, 3> ordinals{"first ", "second ", "third "};

    const std::string result = scene_.result(row_.tool);

    const auto arrivals = server_.arrivals();
    ASSERT_EQ(arrivals.size(), row_.delays.size() + 1);
    EXPECT_EQ(result, octocode_error(ordinals.at(row_.delays.size()) + row_.words));
    for (std::size_t i = 0; i < row_.delays.size(); ++i) {
        const auto waited = arrivals[i + 1].at - arrivals[i].at;
        EXPECT_GE(waited, row_.delays[i]);
        EXPECT_LT(waited, row_.delays[i] + kNoise);
    }
}

TEST_P(OctocodeCategories, EndsAtItsTotalTimeout) {
    start(kRate);
    server_.does({"hang"});

    const auto began = std::chrono::steady_clock::now();
    const std::string answer = scene_.answer(row_.tool);
    const auto took = std::chrono::steady_clock::now() - began;

    EXPECT_TRUE(has(answer, R"("code":"TIMEOUT")")) << answer;
    EXPECT_TRUE(has(text_in(answer), std::to_string(row_.timeout.count()) + " s")) << answer;
    EXPECT_GE(took, scene_.real(row_.timeout));
    EXPECT_LT(took, scene_.real(row_.timeout) + kNoise);
    EXPECT_EQ(server_.arrival_count(), 1U);
    EXPECT_TRUE(eventually([this] { return server_.cancellations().size() == 1; }));
}

TEST_P(OctocodeCategories, DoesNotRetryOtherErrors) {
    start(kRate);
    for (const std::string words : {"no such symbol", "HTTP 404 Not Found", "permission denied"}) {
        const std::size_t before = server_.arrival_count();
        server_.does({"error " + words});
        EXPECT_EQ(scene_.result(row_.tool), error_result(words));
        EXPECT_EQ(server_.arrival_count(), before + 1);
        server_.does({"ok fine"});
        EXPECT_EQ(scene_.code(row_.tool), "");
    }
}

TEST_P(OctocodeCategories, NoDelayIsLongerThanItsCap) {
    if (row_.delays_up_to_cap.empty()) {
        GTEST_SKIP() << "it has no retries";
    }
    // More attempts than the preset has, because otherwise the cap is never reached.
    scene_.scene().add_section(
        R"("policies":{"tireless":{"timeout":"200s","retry":{"attempts":6}}},)"
        R"("tools":[{"match":"octo.*","policy":"tireless"}])");
    start(kRate);
    server_.does({"error " + row_.words});

    EXPECT_EQ(scene_.result(row_.tool), error_result(row_.words));

    const auto arrivals = server_.arrivals();
    ASSERT_EQ(arrivals.size(), row_.delays_up_to_cap.size() + 1);
    for (std::size_t i = 0; i < row_.delays_up_to_cap.size(); ++i) {
        const auto waited = arrivals[i + 1].at - arrivals[i].at;
        EXPECT_GE(waited, scene_.real(row_.delays_up_to_cap[i]));
        EXPECT_LT(waited, scene_.real(row_.delays_up_to_cap[i]) + kNoise);
    }
}

INSTANTIATE_TEST_SUITE_P(
    Row, OctocodeCategories,
    testing::Values(
        CategoryRow{"Github",
                    "githubGetFileContent",
                    "Too Many Requests",
                    {1s, 3s},
                    60s,
                    {1s, 3s, 9s, 27s, 30s}},
        CategoryRow{"Lsp",
                    "lspGotoDefinition",
                    "Language server not ready",
                    {500ms, 1s},
                    30s,
                    {500ms, 1s, 2s, 4s, 5s}},
        CategoryRow{
            "Package", "packageSearch", "quota exceeded", {1s, 2s}, 30s, {1s, 2s, 4s, 8s, 15s}},
        CategoryRow{"Local",
                    "localFindFiles",
                    "EBUSY: resource busy or locked",
                    {100ms},
                    30s,
                    {100ms, 200ms, 400ms, 800ms, 1s}},
        CategoryRow{"AnyOther", "somethingElse", "request timed out", {}, 30s}),
    name_of_row<CategoryRow>);

struct ClassRow {
    std::string name;
    std::vector<std::string> errors;
    std::vector<std::string> retried_by;
    std::vector<std::string> not_retried_by;
};

void PrintTo(const ClassRow& row, std::ostream* out) {
    *out << row.name;
}

class OctocodeErrorClasses : public testing::TestWithParam<ClassRow> {};

TEST_P(OctocodeErrorClasses, AreRecognisedAndRetriedIfTheCategorySaysSo) {
    const ClassRow& row = GetParam();
    TroubledServer server{{unmarked_tool("githubOther"), unmarked_tool("lspOther"),
                           unmarked_tool("packageOther"), unmarked_tool("localOther")}};
    Acceptance scene;
    scene.scene().add_server("octo", server.stdio_entry(kOctocodePreset));
    scene.start(kHttpAgent, kRate, "githubOther");
    const auto attempts = [&](const std::string& tool, const std::string& error) {
        const std::size_t before = server.arrival_count();
        server.does({error, "ok fine"});
        const std::string result = scene.result(tool);
        const std::size_t count = server.arrival_count() - before;
        EXPECT_EQ(has(result, "fine"), count == 2) << result;
        server.does({"ok fine"});
        EXPECT_EQ(scene.code(tool), "");  // resets the count for the next error
        return count;
    };

    for (const std::string& error : row.errors) {
        for (const std::string& tool : row.retried_by) {
            EXPECT_EQ(attempts(tool, error), 2U) << tool << ": " << error;
        }
        for (const std::string& tool : row.not_retried_by) {
            EXPECT_EQ(attempts(tool, error), 1U) << tool << ": " << error;
        }
    }
}

INSTANTIATE_TEST_SUITE_P(
    Row, OctocodeErrorClasses,
    testing::Values(
        ClassRow{"RateLimited",
                 {fails_with("You have exceeded a secondary rate limit (HTTP 403)"),
                  gives(octocode_http_error(403, "forbidden")),
                  gives(octocode_http_error(403, "rate limit reached, check the scope")),
                  fails_with("oops - https://docs.github.com/rest (HTTP 429)"),
                  gives(octocode_http_error(429, "slow down")), fails_with("Rate Limit reached"),
                  fails_with("TOO MANY REQUESTS"), fails_with("your quota exceeded"),
                  fails_with("API rate limit exceeded"), "rpc -32000 api rate limit exceeded"},
                 {"githubOther", "packageOther"},
                 {"lspOther", "localOther"}},
        ClassRow{"AnotherReasonForAForbidden",
                 {fails_with("Access forbidden - insufficient permissions (HTTP 403)"),
                  gives(octocode_http_error(403, "Resource not accessible by integration")),
                  gives(octocode_http_error(403, "forbidden by the policy of the organization")),
                  gives(octocode_http_error(403, "Access denied")),
                  gives(octocode_http_error(403, "the token lacks the scope repo")),
                  gives(octocode_http_error(403, "Resource protected by organization SAML"))},
                 {},
                 {"githubOther", "packageOther", "lspOther", "localOther"}},
        ClassRow{
            "ServerError",
            {fails_with("getaddrinfo ENOTFOUND api.github.com (HTTP 500)"),
             gives(octocode_http_error(599, "x")), fails_with("GitHub API temporarily unavailable"),
             R"(result {"content":[{"type":"text","text":"{\"status\":503}"}],"isError":true})",
             R"(result {"content":[],"structuredContent":{"statusCode":"502"},"isError":true})",
             R"(result {"content":[],"structuredContent":{"code":500},"isError":true})",
             R"(result {"content":[],"structuredContent":{"error":{"status":504}},)"
             R"("isError":true})",
             "rpc -32000 HTTP 503 Service Unavailable"},
            {"githubOther", "packageOther"},
            {"lspOther", "localOther"}},
        ClassRow{"Timeout",
                 {fails_with("Timeout of the search"), fails_with("it timed out"),
                  fails_with("DEADLINE EXCEEDED"), fails_with("connect ETIMEDOUT 10.0.0.1:443")},
                 {"githubOther", "packageOther", "lspOther", "localOther"},
                 {}},
        ClassRow{"LspNotReady",
                 {fails_with("Language server not ready"), fails_with("LSP not initialized"),
                  fails_with("the server is starting")},
                 {"lspOther"},
                 {"githubOther", "packageOther", "localOther"}},
        ClassRow{"ConnectionRefused",
                 {fails_with("connect ECONNREFUSED 127.0.0.1:1"), fails_with("Connection refused"),
                  gives(octocode_error("failed", R"(\nECONNREFUSED)")),
                  fails_with("rate limit or timeout, ECONNREFUSED")},
                 {"lspOther"},
                 {"githubOther", "packageOther", "localOther"}},
        ClassRow{"FileBusy",
                 {fails_with("EBUSY: locked"), fails_with("the resource busy"),
                  fails_with("file is busy"), fails_with("EAGAIN"),
                  fails_with("Resource temporarily unavailable"),
                  gives(octocode_error("failed", R"(\tEBUSY)"))},
                 {"localOther"},
                 {"githubOther", "packageOther", "lspOther"}},
        ClassRow{"AgentsMistake",
                 {fails_with(kMissingFile), gives(octocode_http_error(404, "rate limit, timeout")),
                  "error Input validation error: Invalid arguments for tool ghSearch",
                  gives(octocode_http_error(422, "Validation Failed")),
                  R"(result {"content":[{"type":"text","text":"{\"status\":\"503 for now\"}"}],)"
                  R"("isError":true})"},
                 {},
                 {"githubOther", "packageOther", "lspOther", "localOther"}}),
    name_of_row<ClassRow>);

/// Over the standard streams of the downstream.
class OctocodeRetries : public testing::TestWithParam<AgentLeg> {
protected:
    void start(int rate) {
        scene_.scene().add_server("octo", server_.stdio_entry(kOctocodePreset));
        scene_.start(GetParam(), rate, "githubGetFileContent");
    }

    TroubledServer server_{{unmarked_tool("githubGetFileContent"), unmarked_tool("packageSearch")}};
    Acceptance scene_;
};

TEST_P(OctocodeRetries, AResultIsPassedOnByteForByte) {
    start(kRate);
    const std::string odd =
        R"({"isError" : true,"content":[{"type":"text","text":"rate limit \u00e9 1.50"},)"
        R"({"type":"image","data":"aGk=","mimeType":"image/png"}],"structuredContent":{"n":1e2}})";
    server_.does({"result " + odd});

    EXPECT_EQ(scene_.result("githubGetFileContent"), odd);
    EXPECT_EQ(server_.arrival_count(), 3U);
}

TEST_P(OctocodeRetries, DoesNotRetryForADisconnectedCaller) {
    start(1);
    server_.does({"error rate limit"});
    const std::string id = scene_.agent().send(tool_call("packageSearch"));
    ASSERT_TRUE(eventually([this] { return server_.arrival_count() == 1; }));
    ASSERT_NE(scene_.logged("retrying \"packageSearch\""), "");

    scene_.agent().cancel(id);

    // A retry after one second would arrive before a call that is sent after two.
    EXPECT_FALSE(eventually([this] { return server_.arrival_count() > 1; }, 2s));
}

TEST_P(OctocodeRetries, TheTotalTimeLimitsAllAttempts) {
    start(kRate);
    // Each attempt takes 22 s of gateway time: the third is cut off at 60 s.
    server_.does({"late 1100 error rate limit"});

    const auto began = std::chrono::steady_clock::now();
    const std::string answer = scene_.answer("githubGetFileContent");
    const auto took = std::chrono::steady_clock::now() - began;

    EXPECT_TRUE(has(answer, R"("code":"TIMEOUT")")) << answer;
    EXPECT_GE(took, scene_.real(60s));
    EXPECT_LT(took, scene_.real(60s) + kNoise);
    EXPECT_EQ(server_.arrival_count(), 3U);
}

INSTANTIATE_TEST_SUITE_P(Agent, OctocodeRetries, testing::ValuesIn(kAcceptanceLegs), leg_name);

}  // namespace
}  // namespace holdfast::test
