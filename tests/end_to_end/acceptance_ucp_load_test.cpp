// The preset `ucp` under load: 200 concurrent calls to four servers, three of which misbehave.

#include <algorithm>
#include <array>
#include <chrono>
#include <map>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "end_to_end/ucp_scene.hpp"
#include "support/process_watch.hpp"
#include "support/test_agent/json_text.hpp"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;

constexpr int kCallsForEach = 50;
constexpr std::size_t kProbes = 3;

class UcpLoadTest : public testing::Test {
protected:
    void start(int rate) {
        for (const auto& [name, server] : servers()) {
            ucp_.scene().scene().add_server(name, server->stdio_entry());
        }
        good_.does({"ok fine"});
        ucp_.start(rate, "good__read");
        for (const auto& [name, server] : servers()) {
            ASSERT_TRUE(ucp_.scene().agent().finds_tool(name + "__read"));
        }
    }
    [[nodiscard]] std::map<std::string, TroubledServer*> servers() {
        return {{"good", &good_}, {"crashing", &crashing_}, {"broken", &broken_}, {"slow", &slow_}};
    }
    /// Sends the calls of all servers in turns, and returns the ids by server.
    [[nodiscard]] std::map<std::string, std::vector<std::string>> send_all() {
        std::map<std::string, std::vector<std::string>> ids;
        for (int i = 0; i < kCallsForEach; ++i) {
            for (const auto& [name, server] : servers()) {
                ids[name].push_back(ucp_.scene().agent().send(tool_call(name + "__read")));
            }
            ucp_.scene().listen();
        }
        return ids;
    }
    [[nodiscard]] std::string answer_to(const std::string& id) {
        ucp_.scene().listen();
        return ucp_.scene().agent().answer_to(id);
    }

    TroubledServer good_{{read_only_tool("read")}};
    TroubledServer crashing_{{read_only_tool("read")}};
    TroubledServer broken_{{read_only_tool("read")}};
    TroubledServer slow_{{read_only_tool("read")}};
    UcpScene ucp_;
};

TEST_F(UcpLoadTest, TwoHundredCallsDuringFailuresGetOneAnswerEachAndShareNoCircuit) {
    start(4);
    crashing_.does({"late 20 ok a", "ok b", "die", "late 10 ok c", "die", "late 5 ok d"});
    broken_.does({"rpc -32603 broken"});
    slow_.does({"late 30 ok slowly"});

    const auto ids = send_all();
    std::map<std::string, std::string> answers;
    for (const auto& [name, calls] : ids) {
        for (const std::string& id : calls) {
            answers[id] = answer_to(id);
            EXPECT_TRUE(has(answers[id], R"("result":)")) << name << ": " << answers[id];
        }
    }

    EXPECT_EQ(answers.size(), 4U * kCallsForEach);
    EXPECT_TRUE(std::ranges::none_of(ucp_.scene().agent().kept(), [](const std::string& message) {
        return has(message, R"("result":)");
    })) << "a second answer";
    for (const std::string& id : ids.at("good")) {
        EXPECT_EQ(text_in(answers[id]), "fine");
    }
    for (const std::string& id : ids.at("slow")) {
        EXPECT_EQ(text_in(answers[id]), "slowly");
    }
    EXPECT_EQ(ucp_.circuit("good"), "closed");
    EXPECT_EQ(ucp_.circuit("slow"), "closed");
    EXPECT_EQ(ucp_.failure_count("good"), 0);
    EXPECT_NE(ucp_.circuit("broken"), "closed");
    EXPECT_NE(ucp_.circuit("crashing"), "open") << "lost calls are one count for each crash";
}

TEST_F(UcpLoadTest, NoMoreThanThreeTestCallsReachAHalfOpenServer) {
    start(20);
    broken_.does({"rpc -32603 broken"});
    for (int i = 0; i < 2; ++i) {
        std::ignore = ucp_.scene().answer("broken__read");
    }
    ASSERT_EQ(ucp_.circuit("broken"), "open");
    ASSERT_TRUE(eventually([this] { return ucp_.can_attempt("broken"); }));
    broken_.does({"late 700 ok well again"});
    const std::size_t before = broken_.arrival_count();

    std::vector<std::string> ids;
    for (int i = 0; i < 4 * kCallsForEach; ++i) {
        ids.push_back(ucp_.scene().agent().send(tool_call("broken__read")));
        ucp_.scene().listen();
    }
    std::size_t answered = 0;
    std::size_t refused = 0;
    for (const std::string& id : ids) {
        const std::string answer = answer_to(id);
        answered += text_in(answer) == "well again" ? 1U : 0U;
        refused += has(answer, R"("code":"CIRCUIT_OPEN")") ? 1U : 0U;
    }

    EXPECT_EQ(answered + refused, ids.size());
    EXPECT_EQ(answered, broken_.arrival_count() - before);
    EXPECT_GE(answered, kProbes);
    // Calls that arrived while the three were in flight were refused. Calls of a slow machine may
    // arrive later.
    const auto arrivals = broken_.arrivals();
    const auto first = arrivals.at(before).at;
    const auto early = std::ranges::count_if(
        arrivals.begin() + static_cast<std::ptrdiff_t>(before), arrivals.end(),
        [&](const Sighting& one) { return one.at - first < 600ms; });
    EXPECT_LE(early, static_cast<std::ptrdiff_t>(kProbes));
    EXPECT_EQ(ucp_.circuit("broken"), "closed");
}

}  // namespace
}  // namespace holdfast::test
