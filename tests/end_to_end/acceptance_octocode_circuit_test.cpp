// The circuits of the preset `octocode`, and the tools that use them.

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

constexpr int kRate = 20;
constexpr AgentLeg kHttpAgent = kAcceptanceLegs[1];

struct CircuitRow {
    std::string name;  ///< Of the case.
    std::string circuit;
    std::string tool;
    int failures = 0;
    int successes = 0;
    std::chrono::seconds open = {};
};

void PrintTo(const CircuitRow& row, std::ostream* out) {
    *out << row.circuit;
}

std::string row_name(const testing::TestParamInfo<CircuitRow>& info) {
    return info.param.name;
}

class OctocodeCircuits : public testing::TestWithParam<CircuitRow> {
protected:
    void SetUp() override {
        scene_.scene().add_server("octo", server_.stdio_entry(kOctocodePreset));
        server_.does({fails_with(error_)});
        scene_.start(kHttpAgent, kRate, row_.tool);
    }

    void fail(int times) {
        for (int i = 0; i < times; ++i) {
            EXPECT_EQ(scene_.result(row_.tool), octocode_error(error_));
        }
    }
    [[nodiscard]] bool is_refused() { return scene_.code(row_.tool) == "CIRCUIT_OPEN"; }
    /// Calls until one gets through, which must not happen before the open time has passed.
    void wait_for_half_open() {
        const auto last = server_.arrivals().back().at;
        server_.does({"ok fine"});
        ASSERT_TRUE(eventually([this] { return !is_refused(); }));
        EXPECT_GE(server_.arrivals().back().at - last, scene_.real(row_.open));
    }

    const CircuitRow row_ = GetParam();
    const std::string error_ = counted_error_of(row_.tool);
    TroubledServer server_{{unmarked_tool(row_.tool)}};
    Acceptance scene_;
};

TEST_P(OctocodeCircuits, OpensAfterItsFailuresForItsTimeAndClosesAfterItsSuccesses) {
    fail(row_.failures);
    const std::size_t before = server_.arrival_count();

    const std::string refusal = scene_.answer(row_.tool);
    const int left = std::stoi(member_text(refusal, "retryAfter"));
    EXPECT_EQ(text_in(refusal), "Circuit breaker '" + row_.circuit + "' is open. Will retry in " +
                                    std::to_string(left) + " seconds.");
    EXPECT_GT(left, 0);
    EXPECT_LE(left, row_.open.count());
    EXPECT_EQ(server_.arrival_count(), before);

    wait_for_half_open();  // and succeeds once
    if (row_.successes > 1) {
        server_.does({fails_with(error_)});
        fail(1);
        EXPECT_TRUE(is_refused()) << "one failure while half-open opens it again";
        wait_for_half_open();
        EXPECT_FALSE(is_refused());
    }
    // The circuit is closed: one failure less than its limit does not open it, and a success resets
    // it.
    for (int round = 0; round < 2; ++round) {
        server_.does({fails_with(error_)});
        fail(row_.failures - 1);
        server_.does({"ok fine"});
        EXPECT_FALSE(is_refused());
    }
}

INSTANTIATE_TEST_SUITE_P(
    Row, OctocodeCircuits,
    testing::Values(
        CircuitRow{"Default", "octo", "somethingElse", 3, 2, 30s},
        CircuitRow{"GithubSearch", "octo/github:search", "githubSearchCode", 2, 1, 60s},
        CircuitRow{"GithubContent", "octo/github:content", "githubGetFileContent", 3, 1, 30s},
        CircuitRow{"GithubPulls", "octo/github:pulls", "githubSearchPullRequests", 3, 1, 30s},
        CircuitRow{"LspNavigation", "octo/lsp:navigation", "lspGotoDefinition", 3, 2, 30s},
        CircuitRow{"LspHierarchy", "octo/lsp:hierarchy", "lspCallHierarchy", 2, 2, 30s},
        CircuitRow{"Local", "octo/local", "localSearchCode", 3, 1, 15s},
        CircuitRow{"Package", "octo/package", "packageSearch", 3, 1, 30s},
        CircuitRow{"UnmappedGithub", "octo/github", "githubForkSomething", 3, 2, 30s},
        CircuitRow{"UnmappedLsp", "octo/lsp", "lspRename", 3, 2, 30s}),
    row_name);

struct ToolsRow {
    std::string name;
    std::string circuit;
    std::vector<std::string> tools;
    std::vector<std::string> tools_of_others;
};

void PrintTo(const ToolsRow& row, std::ostream* out) {
    *out << row.circuit;
}

class OctocodeTools : public testing::TestWithParam<ToolsRow> {};

TEST_P(OctocodeTools, ShareTheirCircuit) {
    const ToolsRow& row = GetParam();
    std::vector<std::string> all;
    for (const std::string& tool : row.tools) {
        all.push_back(unmarked_tool(tool));
    }
    for (const std::string& tool : row.tools_of_others) {
        all.push_back(unmarked_tool(tool));
    }
    TroubledServer server{all};
    for (const std::string& tool : row.tools) {
        server.does_for(tool, {fails_with(counted_error_of(tool))});
    }
    for (const std::string& tool : row.tools_of_others) {
        server.does_for(tool, {fails_with(counted_error_of(tool))});
    }
    Acceptance scene;
    scene.scene().add_server("octo", server.stdio_entry(kOctocodePreset));
    scene.start(kHttpAgent, 1, row.tools.front());

    ASSERT_TRUE(eventually([&] { return scene.code(row.tools.front()) == "CIRCUIT_OPEN"; }));

    for (const std::string& tool : row.tools) {
        EXPECT_TRUE(
            has(text_in(scene.answer(tool)), "Circuit breaker 'octo/" + row.circuit + "' is open."))
            << tool;
    }
    for (const std::string& tool : row.tools_of_others) {
        EXPECT_EQ(scene.result(tool), octocode_error(counted_error_of(tool))) << tool;
    }
}

INSTANTIATE_TEST_SUITE_P(
    Row, OctocodeTools,
    testing::Values(
        ToolsRow{"GithubSearch",
                 "github:search",
                 {"githubSearchCode", "githubSearchRepositories", "ghSearch", "ghSearchCode",
                  "ghSearchRepos"},
                 {"githubSearchPullRequests", "githubGetFileContent", "githubOther"}},
        ToolsRow{"GithubPulls",
                 "github:pulls",
                 {"githubSearchPullRequests", "ghSearchPullRequests", "ghSearchHistory",
                  "ghGetHistoryItem"},
                 {"githubSearchCode", "ghGetFileContent"}},
        ToolsRow{"GithubContent",
                 "github:content",
                 {"githubGetFileContent", "githubViewRepoStructure", "ghGetFileContent",
                  "ghViewRepoStructure"},
                 {"githubSearchCode", "ghSearchPullRequests"}},
        ToolsRow{"LspNavigation",
                 "lsp:navigation",
                 {"lspGotoDefinition", "lspFindReferences", "lspGetSemantics"},
                 {"lspCallHierarchy", "lspOther"}},
        ToolsRow{"LspHierarchy", "lsp:hierarchy", {"lspCallHierarchy"}, {"lspFindReferences"}},
        ToolsRow{"Local",
                 "local",
                 {"localSearchCode", "localGetFileContent", "localFindFiles", "localViewStructure",
                  "localSearch", "localAnalyzeGraph", "localOther"},
                 {"packageSearch"}},
        ToolsRow{"Package",
                 "package",
                 {"packageSearch", "npmSearch", "packageOther"},
                 {"localFindFiles"}},
        ToolsRow{"UnmappedGithub", "github", {"githubOther", "ghOther"}, {"ghSearchCode"}},
        ToolsRow{"UnmappedLsp", "lsp", {"lspOther", "lspAnother"}, {"lspGetSemantics"}}),
    [](const testing::TestParamInfo<ToolsRow>& info) { return info.param.name; });

/// The rules of all circuits, on both transports to the agent.
class OctocodeCircuitRules : public testing::TestWithParam<AgentLeg> {
protected:
    void start(int rate, const std::string& section = {}) {
        scene_.scene().add_server("octo", server_.stdio_entry(kOctocodePreset));
        if (!section.empty()) {
            scene_.scene().add_section(section);
        }
        scene_.start(GetParam(), rate, "localFindFiles");
    }

    const std::string refused_ = fails_with("connect ECONNREFUSED 127.0.0.1:443");
    TroubledServer server_{{unmarked_tool("localFindFiles"), unmarked_tool("githubSearchCode"),
                            unmarked_tool("githubGetFileContent"),
                            unmarked_tool("lspCallHierarchy"), unmarked_tool("other")}};
    Acceptance scene_;
};

TEST_P(OctocodeCircuitRules, TwoRateLimitsOpenGithubSearchAndEachCallCountsOnce) {
    start(kRate);
    const std::string limited = octocode_error("API rate limit exceeded (HTTP 429)");
    server_.does({gives(limited)});

    EXPECT_EQ(scene_.result("githubSearchCode"), limited);
    EXPECT_EQ(server_.arrival_count(), 3U);
    EXPECT_EQ(scene_.result("githubSearchCode"), limited);
    EXPECT_EQ(server_.arrival_count(), 6U);
    EXPECT_EQ(scene_.code("githubSearchCode"), "CIRCUIT_OPEN");
    EXPECT_EQ(server_.arrival_count(), 6U);
}

TEST_P(OctocodeCircuitRules, ThreeMissingFilesDoNotOpenLocal) {
    start(1);
    server_.does({fails_with(kMissingFile)});

    for (std::size_t call = 1; call <= 5; ++call) {
        EXPECT_EQ(scene_.result("localFindFiles"), octocode_error(kMissingFile));
        EXPECT_EQ(server_.arrival_count(), call) << "an agent's mistake is not retried";
    }
}

TEST_P(OctocodeCircuitRules, ThreeNotFoundAnswersOfGithubDoNotOpenGithubContent) {
    start(1);
    const std::string missing = octocode_http_error(404, "Repository or path not found");
    server_.does({gives(missing)});

    for (std::size_t call = 1; call <= 5; ++call) {
        EXPECT_EQ(scene_.result("githubGetFileContent"), missing);
        EXPECT_EQ(server_.arrival_count(), call);
    }
}

TEST_P(OctocodeCircuitRules, AnErrorOfTheAgentResetsTheCount) {
    start(1);
    server_.does({refused_, refused_, fails_with(kMissingFile), refused_, refused_,
                  gives(octocode_http_error(403, "Access forbidden - insufficient permissions")),
                  refused_, refused_, "error Input validation error: Invalid arguments", refused_});

    for (int call = 0; call < 10; ++call) {
        EXPECT_NE(scene_.code("localFindFiles"), "CIRCUIT_OPEN") << call;
    }
    EXPECT_EQ(server_.arrival_count(), 10U);
}

TEST_P(OctocodeCircuitRules, InternalErrorsOfTheServerCount) {
    start(1);
    server_.does({"rpc -32603 something broke"});
    for (int call = 0; call < 3; ++call) {
        EXPECT_TRUE(has(scene_.answer("localFindFiles"), "something broke"));
    }
    EXPECT_EQ(scene_.code("localFindFiles"), "CIRCUIT_OPEN");
    EXPECT_EQ(server_.arrival_count(), 3U);
}

TEST_P(OctocodeCircuitRules, FiguresOfTheServersEntryReplaceThoseOfThePreset) {
    scene_.scene().add_server(
        "octo", server_.stdio_entry(R"("preset":"octocode","circuits":{)"
                                    R"("github:search":{"failures":4,"open":"10s"}})"));
    scene_.start(GetParam(), kRate, "githubSearchCode");
    server_.does({refused_});

    for (int call = 0; call < 4; ++call) {
        EXPECT_NE(scene_.code("githubSearchCode"), "CIRCUIT_OPEN") << call;
    }
    const std::string refusal = scene_.answer("githubSearchCode");
    EXPECT_TRUE(has(refusal, "CIRCUIT_OPEN")) << refusal;
    EXPECT_LE(std::stoi(member_text(refusal, "retryAfter")), 10);
    EXPECT_EQ(server_.arrival_count(), 4U);
    // The number of successes is that of the preset: one closes it.
    server_.does({"ok fine"});
    ASSERT_TRUE(eventually([this] { return scene_.code("githubSearchCode").empty(); }));
    server_.does({refused_});
    for (int call = 0; call < 3; ++call) {
        EXPECT_NE(scene_.code("githubSearchCode"), "CIRCUIT_OPEN") << call;
    }
}

TEST_P(OctocodeCircuitRules, ASuccessInTheClosedStateResetsTheCount) {
    start(1);
    server_.does({refused_, refused_, "ok fine", refused_, refused_, "ok fine"});

    for (int i = 0; i < 6; ++i) {
        EXPECT_NE(scene_.code("localFindFiles"), "CIRCUIT_OPEN") << i;
    }
    EXPECT_EQ(server_.arrival_count(), 6U);
}

TEST_P(OctocodeCircuitRules, HalfOpenAdmitsOneCallAtATime) {
    start(kRate);
    server_.does({refused_});
    ASSERT_TRUE(eventually([this] { return scene_.code("localFindFiles") == "CIRCUIT_OPEN"; }));
    const std::size_t before = server_.arrival_count();
    server_.does({"late 700 ok fine", "ok fine"});

    // The first call that gets through takes a while; meanwhile no other call does.
    std::string probe;
    ASSERT_TRUE(eventually([&] {
        probe = scene_.agent().send(tool_call("localFindFiles"));
        return eventually([&] { return server_.arrival_count() > before; }, 400ms);
    }));
    EXPECT_EQ(scene_.code("localFindFiles"), "CIRCUIT_OPEN");
    EXPECT_EQ(server_.arrival_count(), before + 1);
    EXPECT_TRUE(has(scene_.agent().answer_to(probe), "fine"));
    EXPECT_EQ(scene_.code("localFindFiles"), "");
}

TEST_P(OctocodeCircuitRules, AnOpenCircuitReportsTheRealTimeLeft) {
    start(kRate);
    server_.does({refused_});
    ASSERT_TRUE(eventually([this] { return scene_.code("githubSearchCode") == "CIRCUIT_OPEN"; }));
    const int first = std::stoi(member_text(scene_.answer("githubSearchCode"), "retryAfter"));

    int later = first;
    ASSERT_TRUE(eventually([&] {
        later = std::stoi(member_text(scene_.answer("githubSearchCode"), "retryAfter"));
        return later <= first - 20;
    }));

    EXPECT_GT(later, 0);
    EXPECT_LE(first, 60);
}

TEST_P(OctocodeCircuitRules, WhileOpenTheFallbackOfACallIsRun) {
    start(1, R"("tools":[{"match":"octo.githubSearchCode","fallback":"octo.localFindFiles"}])");
    server_.does_for("githubSearchCode", {refused_});
    server_.does_for("localFindFiles", {"ok found here"});
    for (int call = 0; call < 2; ++call) {
        EXPECT_TRUE(has(scene_.result("githubSearchCode"), "ECONNREFUSED"));
    }

    EXPECT_EQ(text_in(scene_.answer("githubSearchCode")), "found here");

    EXPECT_EQ(server_.arrivals("githubSearchCode").size(), 2U);
    EXPECT_EQ(server_.arrivals("localFindFiles").size(), 1U);
}

TEST_P(OctocodeCircuitRules, ATimeoutCountsOnTheCircuitAndEndsTheCall) {
    start(kRate);
    server_.does({"hang"});

    EXPECT_EQ(scene_.code("lspCallHierarchy"), "TIMEOUT");
    EXPECT_EQ(scene_.code("lspCallHierarchy"), "TIMEOUT");
    EXPECT_EQ(scene_.code("lspCallHierarchy"), "CIRCUIT_OPEN");

    EXPECT_EQ(server_.arrival_count(), 2U);
    EXPECT_TRUE(eventually([this] { return server_.cancellations().size() == 2; }));
}

TEST_P(OctocodeCircuitRules, UnknownToolsAndInvalidCallsDoNotCount) {
    start(1);
    for (int i = 0; i < 4; ++i) {
        EXPECT_TRUE(has(scene_.answer("localFindFiles", R"({"q":1})"), "INVALID_ARGUMENTS"));
    }
    EXPECT_EQ(server_.arrival_count(), 0U);
    EXPECT_EQ(scene_.code("localFindFiles"), "");
}

INSTANTIATE_TEST_SUITE_P(Agent, OctocodeCircuitRules, testing::ValuesIn(kAcceptanceLegs), leg_name);

}  // namespace
}  // namespace holdfast::test
