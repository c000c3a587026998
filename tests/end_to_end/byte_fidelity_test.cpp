// Messages pass through the gateway byte for byte.

#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "end_to_end/leg_pairs.hpp"
#include "support/call_id.hpp"
#include "support/process_watch.hpp"
#include "support/test_agent/json_text.hpp"

namespace holdfast::test {
namespace {

/// The members of the result of the tool `raw_result`.
constexpr std::string_view kOddMembers =
    R"("content":[{"type":"text","text":"a\/b \u00e9 é"}],)"
    R"("structuredContent":{"numbers":[1.0e+2,1E400,-0,0.1000,)"
    R"(12345678901234567890123],"a":1,"\u0061":2,"path":"c:\/d"},)"
    R"( "x-unknown" : { "keep" : [ ] } ,"isError":false)";

constexpr std::string_view kOddArguments =
    R"({ "numbers" : [1.0e+2,1E400,-0,0.1000,12345678901234567890123] ,"a":1,"\u0061":2,)"
    R"( "text":"c:\/d \u00e9 é 😀 \ud83d\ude00","nested":[[ ],{ }],"":null})";

/// The same without the spaces between members.
std::string without_outer_spaces(std::string_view members) {
    constexpr std::string_view kSpaced = R"(, "x-unknown" : { "keep" : [ ] } ,)";
    constexpr std::string_view kClose = R"(,"x-unknown":{ "keep" : [ ] },)";
    std::string text{members};
    return text.replace(text.find(kSpaced), kSpaced.size(), kClose);
}

using ByteFidelityTest = LegPairTest;

TEST_P(ByteFidelityTest, KeepsTheBytesOfAResult) {
    const std::string answer = agent().request(tool_call("raw_result"));

    EXPECT_EQ(call_id_in(answer), "") << answer;
    const std::string result = member_text(answer, "result");
    if (has_modern_agent()) {
        EXPECT_NE(result.find(kOddMembers), std::string::npos) << answer;
    } else if (has_modern_server()) {
        // Removes the members of the modern era and joins the others again.
        EXPECT_EQ(result, "{" + without_outer_spaces(kOddMembers) + "}") << answer;
    } else {
        EXPECT_EQ(result, "{" + std::string{kOddMembers} + "}") << answer;
    }
}

TEST_P(ByteFidelityTest, KeepsTheBytesOfArguments) {
    EXPECT_EQ(agent().call("echo_arguments", std::string{kOddArguments}), kOddArguments);
}

INSTANTIATE_TEST_SUITE_P(Legs, ByteFidelityTest, all_leg_pairs(), name_of_pair);

/// The amount of text of the tool `big`.
std::string big_text(std::size_t size_bytes) {
    constexpr std::string_view kPattern = "SG9sZGZhc3QhIEhvbGRmYXN0ISBIb2xkZmFzdCEg";
    std::string text;
    while (text.size() < size_bytes) {
        text += kPattern;
    }
    text.resize(size_bytes);
    return text;
}

class BigResultTest : public LegPairTest {};

TEST_P(BigResultTest, ArrivesCompletely) {
    constexpr std::size_t kSizeBytes = std::size_t{50} * 1024 * 1024;

    const std::string text = agent().call("big", R"({"bytes":)" + std::to_string(kSizeBytes) + "}");

    ASSERT_EQ(text.size(), kSizeBytes) << text.substr(0, 500);
    EXPECT_TRUE(text == big_text(kSizeBytes));
    EXPECT_EQ(agent().call("echo", R"({"text":"still here"})"), "still here");
}

/// Each leg once: a big message costs seconds, and the legs are independent.
std::vector<LegPair> every_leg_once() {
    std::vector<LegPair> pairs;
    for (std::size_t index = 0; index < kServerLegs.size(); ++index) {
        pairs.emplace_back(kAgentLegs[index % kAgentLegs.size()], kServerLegs[index]);
    }
    return pairs;
}

INSTANTIATE_TEST_SUITE_P(Legs, BigResultTest, testing::ValuesIn(every_leg_once()), name_of_pair);

/// The transports to the gateway; what is behind it does not matter.
class AgentLegTest : public testing::TestWithParam<AgentLeg> {
protected:
    void SetUp() override {
        // A file records what the gateway writes to the server.
        scene_.add_server("fixture", R"({"command":"sh","args":["-c","tee )" + record_ + " | " +
                                         Scene::fixture_path() +
                                         R"( --stdio --era legacy --lifetime-seconds 100"]})");
        ASSERT_TRUE(scene_.start({"--stdio"}));
        agent_ = std::make_unique<TestAgent>(scene_.agent(GetParam()));
        ASSERT_TRUE(agent_->open());
        ASSERT_TRUE(agent_->finds_tool("echo"));
    }

    [[nodiscard]] TestAgent& agent() const { return *agent_; }
    /// Returns the last line to the server that contains this text. The file may get it a little
    /// later than the server.
    [[nodiscard]] std::string sent_line(std::string_view words) const {
        std::string line;
        EXPECT_TRUE(eventually([&] {
            const std::string all = content_of_file(record_);
            const std::size_t place = all.rfind(words);
            const std::size_t end = place == std::string::npos ? place : all.find('\n', place);
            if (end == std::string::npos) {
                return false;
            }
            const std::size_t begin = all.rfind('\n', place) + 1;
            line = all.substr(begin, end - begin);
            return true;
        }));
        return line;
    }

private:
    Scene scene_;
    const std::string record_ = scene_.folder() / "record";
    std::unique_ptr<TestAgent> agent_;
};

std::string name_of_leg(const testing::TestParamInfo<AgentLeg>& info) {
    return std::string{info.param.name};
}

TEST_P(AgentLegTest, ReturnsIdsUnchanged) {
    for (const char* id :
         {"1", R"("1")", "1.0", "9007199254740993", "-9223372036854775809", R"("é")", R"("\u00e9")",
          R"("")", "-0", R"("a \"quoted\" one, with \\ and \/")"}) {
        AgentRequest call = tool_call("echo", R"({"text":"it is me"})");
        call.id = id;

        // Finds the answer by the bytes of its id.
        const std::string answer = agent().request(call);

        EXPECT_NE(answer.find("it is me"), std::string::npos) << id << " " << answer;
    }
}

TEST_P(AgentLegTest, KeepsAnIdOfManyBytes) {
    AgentRequest call = tool_call("echo", R"({"text":"it is me"})");
    call.id = "\"" + std::string(100'000, 'x') + "\"";

    EXPECT_NE(agent().request(call).find("it is me"), std::string::npos);
}

TEST_P(AgentLegTest, DistinguishesIdsThatDifferOnlyInTheirType) {
    AgentRequest number = tool_call("sleep", R"({"ms":50})");
    number.id = "1";
    AgentRequest text = tool_call("echo", R"({"text":"the text"})");
    text.id = R"("1")";

    agent().send(number);
    const std::string answer = agent().request(text);

    EXPECT_NE(answer.find("the text"), std::string::npos) << answer;
    EXPECT_NE(agent().answer_to("1").find("Slept 50 ms."), std::string::npos);
}

TEST_P(AgentLegTest, PassesOnUnknownMembers) {
    AgentRequest call = tool_call("whoami");
    call.params = R"("x-future":{ "n":1.0 },)" + call.params;
    call.meta = R"("traceparent":"00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",)"
                R"("com.example/odd":{ "n":1.0 , "\u0061":[ ] })";

    const std::string answer = agent().request(call);

    EXPECT_NE(answer.find("0af7651916cd43dd8448eb211c80319c"), std::string::npos) << answer;
    const std::string sent = sent_line("\"whoami\"");
    EXPECT_NE(sent.find(R"("x-future":{ "n":1.0 })"), std::string::npos) << sent;
    EXPECT_NE(
        sent.find(R"("traceparent":"00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01")"),
        std::string::npos)
        << sent;
    EXPECT_NE(sent.find(R"("com.example/odd":{ "n":1.0 , "\u0061":[ ] })"), std::string::npos)
        << sent;
    EXPECT_EQ(sent.find("io.modelcontextprotocol/"), std::string::npos)
        << "a legacy server must not receive the modern envelope: " << sent;
}

TEST_P(AgentLegTest, ReplacesLineBreaksOutsideOfStringsBySpaces) {
    if (GetParam().transport == AgentTransport::stdio) {
        GTEST_SKIP() << "A message on the standard streams has no line breaks.";
    }

    const std::string arguments =
        agent().call("echo_arguments", "{\r\n\t\"text\" :\n\"a\\nb\"\r\n}");

    EXPECT_NE(sent_line("echo_arguments").find("{  \t\"text\" : \"a\\nb\"  }"), std::string::npos)
        << sent_line("echo_arguments");
    EXPECT_NE(arguments, "");
}

INSTANTIATE_TEST_SUITE_P(Legs, AgentLegTest, testing::ValuesIn(kAgentLegs), name_of_leg);

}  // namespace
}  // namespace holdfast::test
