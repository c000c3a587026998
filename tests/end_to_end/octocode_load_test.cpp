// The preset `octocode` under load: 200 concurrent calls while several circuits have failures.

#include <algorithm>
#include <array>
#include <chrono>
#include <map>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "end_to_end/octocode_scene.hpp"
#include "support/process_watch.hpp"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;

constexpr int kRate = 20;
constexpr std::size_t kCalls = 200;

struct LoadedTool {
    std::string name;
    std::string circuit;
};
const std::array<LoadedTool, 8> kTools = {{
    {"ghSearch", "github:search"},
    {"ghGetFileContent", "github:content"},
    {"ghSearchHistory", "github:pulls"},
    {"lspGetSemantics", "lsp:navigation"},
    {"lspCallHierarchy", "lsp:hierarchy"},
    {"localSearch", "local"},
    {"npmSearch", "package"},
    {"ghOther", "github"},
}};

class OctocodeLoad : public testing::TestWithParam<AgentLeg> {
protected:
    void SetUp() override {
        scene_.scene().add_server("octo", server_.stdio_entry(kOctocodePreset));
        // Raises the other limits, so that only the circuits decide.
        scene_.scene().add_section(
            R"("policies":{"default":{"limit":{"inFlight":200,"queue":200,"wait":"60s"}},)"
            R"("patient":{"timeout":"200s"}},)"
            R"("tools":[{"match":"octo.localSearch","policy":"patient"}])");
        scene_.start(GetParam(), kRate, "ghSearch");
    }

    /// Sends concurrent calls and returns the answers by tool. Each call must have exactly one.
    std::map<std::string, std::vector<std::string>> answers_of(
        const std::vector<std::string>& tools) {
        std::vector<std::string> ids;
        ids.reserve(tools.size());
        for (const std::string& tool : tools) {
            ids.push_back(scene_.agent().send(tool_call(tool)));
        }
        std::map<std::string, std::vector<std::string>> answers;
        for (std::size_t index = 0; index < ids.size(); ++index) {
            scene_.listen();
            answers[tools[index]].push_back(scene_.agent().answer_to(ids[index]));
            EXPECT_NE(answers[tools[index]].back(), "") << tools[index];
        }
        // A second answer to any of them would arrive before that to a later request.
        EXPECT_NE(scene_.agent().request({.method = "ping"}), "");
        for (const std::string& message : scene_.agent().kept()) {
            EXPECT_FALSE(has(message, R"("result":)")) << message;
        }
        return answers;
    }

    static std::vector<std::string> mixed_calls() {
        std::vector<std::string> tools;
        for (std::size_t index = 0; index < kCalls; ++index) {
            tools.push_back(kTools.at(index % kTools.size()).name);
        }
        return tools;
    }

    static std::size_t count_with(const std::vector<std::string>& answers, std::string_view words) {
        return static_cast<std::size_t>(std::ranges::count_if(
            answers, [&](const std::string& answer) { return has(answer, words); }));
    }

    static std::vector<std::string> names() {
        std::vector<std::string> tools;
        for (const LoadedTool& tool : kTools) {
            tools.push_back(unmarked_tool(tool.name));
        }
        return tools;
    }

    TroubledServer server_{names()};
    Acceptance scene_;
};

TEST_P(OctocodeLoad, TwoHundredCallsAtOnceHaveOneAnswerEachAndShareNoCircuitByAccident) {
    constexpr std::size_t kPerTool = kCalls / kTools.size();
    server_.does({"late 20 ok fine"});
    server_.does_for("ghSearch", {fails_with("connect ECONNREFUSED 127.0.0.1:443")});
    server_.does_for("lspCallHierarchy", {fails_with("EBUSY: resource busy or locked")});
    server_.does_for("localSearch", {fails_with(kMissingFile)});
    server_.does_for("npmSearch", {fails_with("quota exceeded"), "ok fine"});

    const auto answers = answers_of(mixed_calls());

    for (const LoadedTool& tool : kTools) {
        ASSERT_EQ(answers.at(tool.name).size(), kPerTool) << tool.name;
    }
    // Calls in flight when a circuit opens end with their own answer; all later ones are rejected.
    for (const std::string tool : {"ghSearch", "lspCallHierarchy"}) {
        const std::size_t failed = count_with(answers.at(tool), R"("status":"error")");
        EXPECT_EQ(failed + count_with(answers.at(tool), "CIRCUIT_OPEN"), kPerTool) << tool;
        EXPECT_EQ(server_.arrivals(tool).size(), failed) << tool;
        EXPECT_EQ(scene_.code(tool), "CIRCUIT_OPEN") << tool;
    }
    for (const std::string tool :
         {"ghGetFileContent", "ghSearchHistory", "lspGetSemantics", "npmSearch", "ghOther"}) {
        EXPECT_EQ(count_with(answers.at(tool), "fine"), kPerTool) << tool;
    }
    EXPECT_EQ(server_.arrivals("npmSearch").size(), kPerTool + 1) << "one of them was retried";
    EXPECT_EQ(count_with(answers.at("localSearch"), "File not found"), kPerTool);
    for (const LoadedTool& tool : kTools) {
        const bool is_open = tool.name == "ghSearch" || tool.name == "lspCallHierarchy";
        EXPECT_EQ(scene_.code(tool.name) == "CIRCUIT_OPEN", is_open) << tool.name;
    }
}

TEST_P(OctocodeLoad, AHalfOpenCircuitLetsOneOfTwoHundredCallsThrough) {
    server_.does({"ok fine"});
    server_.does_for("localSearch", {fails_with("connect ECONNREFUSED 127.0.0.1:443")});
    for (int call = 0; call < 3; ++call) {
        EXPECT_NE(scene_.code("localSearch"), "CIRCUIT_OPEN");
    }
    const std::size_t before = server_.arrivals("localSearch").size();
    // The probe takes longer than the rejection of all others.
    server_.does_for("localSearch", {"late 4000 ok fine"});
    std::string probe;
    ASSERT_TRUE(eventually([&] {
        probe = scene_.agent().send(tool_call("localSearch"));
        const bool is_sent =
            eventually([&] { return server_.arrivals("localSearch").size() > before; }, 300ms);
        return is_sent || scene_.agent().answer_to(probe).empty();
    }));

    const auto answers = answers_of(std::vector<std::string>(kCalls, "localSearch"));

    EXPECT_EQ(count_with(answers.at("localSearch"), "CIRCUIT_OPEN"), kCalls);
    EXPECT_EQ(server_.arrivals("localSearch").size(), before + 1);
    EXPECT_TRUE(has(scene_.agent().answer_to(probe), "fine"));
    server_.does_for("localSearch", {"ok fine"});
    const auto after = answers_of(std::vector<std::string>(kCalls, "localSearch"));
    EXPECT_EQ(count_with(after.at("localSearch"), "fine"), kCalls);
}

INSTANTIATE_TEST_SUITE_P(Agent, OctocodeLoad, testing::ValuesIn(kAcceptanceLegs), leg_name);

}  // namespace
}  // namespace holdfast::test
