#include "end_to_end/acceptance.hpp"

#include "support/call_id.hpp"
#include "support/test_agent/json_text.hpp"

namespace holdfast::test {

std::string leg_name(const testing::TestParamInfo<AgentLeg>& info) {
    return std::string{info.param.name};
}

std::string error_result(const std::string& words) {
    return R"({"content":[{"type":"text","text":")" + words + R"("}],"isError":true})";
}

std::string text_in(const std::string& answer) {
    const std::string quoted = member_text(answer, "text");
    std::string text;
    for (std::size_t at = 1; at + 1 < quoted.size(); ++at) {
        if (quoted[at] != '\\') {
            text += quoted[at];
            continue;
        }
        ++at;
        text += quoted[at] == 'n' ? '\n' : quoted[at];
    }
    return text;
}

bool has(std::string_view text, std::string_view words) {
    return text.find(words) != std::string_view::npos;
}

void Acceptance::start(const AgentLeg& leg, int rate, const std::string& awaited_tool) {
    rate_ = rate;
    std::vector<std::string> arguments{"--clock-rate", std::to_string(rate)};
    if (leg.transport == AgentTransport::stdio) {
        arguments.emplace_back("--stdio");
    }
    ASSERT_TRUE(scene_.start(arguments));
    agent_.emplace(scene_.agent(leg));
    ASSERT_TRUE(agent_->open());
    ASSERT_TRUE(agent_->finds_tool(awaited_tool));
}

std::string Acceptance::result(const std::string& tool) {
    return without_call_id(member_text(answer(tool), "result"));
}

std::string Acceptance::code(const std::string& tool) {
    const std::string failure = member_text(answer(tool), "dev.holdfast/failure");
    return plain_text(member_text(failure, "code"));
}

}  // namespace holdfast::test
