#pragma once

#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "end_to_end/acceptance.hpp"
#include "end_to_end/commontrace_backend.hpp"
#include "end_to_end/http_backend.hpp"
#include "end_to_end/scene.hpp"
#include "support/test_agent/json_text.hpp"

namespace holdfast::test {

enum class Effect : std::uint8_t { reads, writes };

/// A tool of the preset `commontrace`, a valid call, and its request to the backend.
struct TraceCall {
    std::string tool = {};
    std::string arguments = {};
    std::string line = {};
    Effect effect = Effect::reads;
};

inline const std::string kTraceId = "6f1b4d8e-8f0a-4f0c-9a53-0d3a6f1e2b7c";

inline const std::array<TraceCall, 6> kTraceCalls{{
    {"search_traces", R"({"query":"a b"})", "POST /api/v1/traces/search", Effect::reads},
    {"get_trace", R"({"trace_id":")" + kTraceId + "\"}", "GET /api/v1/traces/" + kTraceId,
     Effect::reads},
    {"list_tags", "{}", "GET /api/v1/tags", Effect::reads},
    {"contribute_trace", R"({"title":"t","context_text":"c","solution_text":"s"})",
     "POST /api/v1/traces", Effect::writes},
    {"vote_trace", R"({"trace_id":")" + kTraceId + R"(","vote_type":"up"})",
     "POST /api/v1/traces/" + kTraceId + "/votes", Effect::writes},
    {"amend_trace",
     R"({"trace_id":")" + kTraceId + R"(","improved_solution":"i","explanation":"e"})",
     "POST /api/v1/traces/" + kTraceId + "/amendments", Effect::writes},
}};
inline const TraceCall& kListTags = kTraceCalls[2];
inline const TraceCall& kContribute = kTraceCalls[3];
inline const std::string kTags = R"({"tags":["b","a"]})";
inline const std::string kTagsText = "2 tags:\na, b";
inline const std::string kUncertain = "It may have been recorded: check before repeating.";

inline std::string unavailable_text(Effect effect) {
    const std::string begin =
        "[CommonTrace unavailable] The knowledge base is temporarily unreachable. ";
    return begin + (effect == Effect::reads
                        ? "Continuing without trace lookup. You can retry later."
                        : "Your contribution could not be submitted. Please try again later.");
}

inline std::string timeout_text(Effect effect) {
    return effect == Effect::reads
               ? "[CommonTrace timeout] Request took too long and was cancelled. The knowledge "
                 "base may be under heavy load. Continuing without results."
               : "[CommonTrace timeout] The submission took too long and was cancelled. The "
                 "knowledge base may be under heavy load. Please try again later. It may have been "
                 "recorded: check before repeating.";
}

inline AgentRequest request_of(const TraceCall& call) {
    return tool_call(call.tool, call.arguments);
}

/// The gateway with the preset `commontrace` as shipped, and one agent on the transport of the
/// test.
class CommonTraceTest : public ::testing::TestWithParam<AgentLeg> {
protected:
    /// Adds `variables` to the one with the key.
    void start(const std::string& url, std::vector<std::string> variables = {},
               const std::string& clock_rate = "1") {
        scene.add_server("traces",
                         R"({"type":"rest","url":")" + url + R"(","preset":"commontrace"})");
        variables.emplace_back("COMMONTRACE_API_KEY=key-of-the-gateway");
        ASSERT_TRUE(scene.start({"--stdio", "--clock-rate", clock_rate}, std::move(variables)));
        open_agent();
    }
    void open_agent() {
        agent_ = std::make_unique<TestAgent>(scene.agent(GetParam()));
        ASSERT_TRUE(agent_->open());
        ASSERT_TRUE(agent_->finds_tool("vote_trace"));
    }
    [[nodiscard]] TestAgent& agent() { return *agent_; }
    /// Returns the text of a result that is neither a protocol error nor marked as one.
    [[nodiscard]] static std::string readable_text(const std::string& answer) {
        EXPECT_NE(member_text(answer, "result"), "") << answer;
        EXPECT_EQ(answer.find("isError"), std::string::npos) << answer;
        return text_in(answer);
    }
    [[nodiscard]] std::string called(const TraceCall& call) {
        return readable_text(agent_->request(request_of(call)));
    }
    /// Returns the failure code of an answer.
    [[nodiscard]] std::string code_of_call(const TraceCall& call) {
        return plain_text(member_text(agent_->request(request_of(call)), "code"));
    }

    Scene scene;

private:
    std::unique_ptr<TestAgent> agent_;
};

inline std::string name_of_leg(const ::testing::TestParamInfo<AgentLeg>& info) {
    return std::string{info.param.name};
}

}  // namespace holdfast::test
