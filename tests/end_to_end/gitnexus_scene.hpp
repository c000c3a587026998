#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "end_to_end/bridge_page.hpp"
#include "end_to_end/scene.hpp"
#include "support/test_agent/json_text.hpp"

namespace holdfast::test {

inline const std::vector<std::string> kQuickTools{"search",   "grep",      "read", "context",
                                                  "overview", "highlight", "other"};
inline const std::vector<std::string> kHeavyTools{"cypher", "impact", "explore"};

/// The gateway with the preset `gitnexus` as shipped, a page that dials in and serves its tools,
/// and one agent on the transport of the test.
class GitNexusTest : public ::testing::TestWithParam<AgentLeg> {
protected:
    void start(std::vector<std::string> variables = {}, const std::string& clock_rate = "1",
               const std::string& headers = {}) {
        scene.add_server("graph", R"({"type":"ws","listen":"/bridge/graph","token":"let-me-in",)"
                                  R"("preset":"gitnexus"})");
        ASSERT_TRUE(scene.start({"--stdio", "--clock-rate", clock_rate}, std::move(variables)));
        agent_ = std::make_unique<TestAgent>(scene.agent(GetParam(), headers));
        ASSERT_TRUE(agent_->open());
        open_page();
    }
    void open_page() {
        std::vector<std::string> tools = kQuickTools;
        tools.insert(tools.end(), kHeavyTools.begin(), kHeavyTools.end());
        page_ = std::make_unique<BridgePage>(
            scene.port(), Upgrade{.target = "/bridge/graph?token=let-me-in"}, std::move(tools));
        ASSERT_EQ(page_->status(), 101);
        ASSERT_TRUE(page_->serve_list());
        ASSERT_TRUE(agent_->finds_tool("cypher"));
    }
    void close_page() { page_.reset(); }
    [[nodiscard]] TestAgent& agent() { return *agent_; }
    [[nodiscard]] BridgePage& page() { return *page_; }

    /// Makes a call that the page does not answer, and returns the gateway's answer.
    [[nodiscard]] std::string unanswered_call(const std::string& tool = "search") {
        const std::string request = agent_->send(tool_call(tool));
        EXPECT_NE(page_->next_call(), "");
        return agent_->answer_to(request);
    }
    void expect_answered_call(const std::string& text) {
        const std::string request = agent_->send(tool_call("search"));
        const std::string call = page_->next_call();
        ASSERT_NE(call, "");
        page_->answer(call, text);
        EXPECT_EQ(plain_text(member_text(agent_->answer_to(request), "text")), text);
    }
    [[nodiscard]] static std::string code_in(const std::string& answer) {
        return plain_text(member_text(answer, "code"));
    }

    Scene scene;

private:
    std::unique_ptr<TestAgent> agent_;
    std::unique_ptr<BridgePage> page_;
};

inline std::string name_of_leg(const ::testing::TestParamInfo<AgentLeg>& info) {
    return std::string{info.param.name};
}

}  // namespace holdfast::test
