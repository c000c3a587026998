#include "downstream_world.hpp"

namespace holdfast::downstream {
namespace {

using namespace std::chrono_literals;
using testing::answer_of;
using testing::DownstreamTest;
using testing::error_of;
using testing::FakeLink;
using testing::Running;
using Events = std::vector<std::string>;

constexpr const char* kToolsChanged = "notifications/tools/list_changed";
constexpr const char* kResourcesChanged = "notifications/resources/list_changed";

class DownstreamListTest : public DownstreamTest {
protected:
    DownstreamListTest() {
        server->negotiated.capabilities = R"({"tools":{"listChanged":true}})";
        server->answering = [this](const Request& request) -> std::optional<CallResult> {
            const auto place = answers.find(std::string{request.method});
            return place == answers.end() ? std::nullopt : std::optional{place->second};
        };
    }

    void answer_tools(const std::string& names) {
        answers.insert_or_assign("tools/list", CallResult{answer_of(tools(names))});
    }
    static std::string tools(const std::string& names, const std::string& more = {}) {
        std::string list;
        for (const char name : names) {
            list += std::string{list.empty() ? "" : ","} + R"({"name":")" + name +
                    R"(","inputSchema":{"type":"object"}})";
        }
        return R"({"tools":[)" + list + "]" + more + "}";
    }

    std::map<std::string, CallResult> answers;  // requests without an answer stay pending
};

TEST_F(DownstreamListTest, ListsWhatTheDownstreamOffersAtTheSameTime) {
    server->negotiated.capabilities = R"({"tools":{},"resources":{},"logging":{}})";
    make_ready();

    EXPECT_EQ(server->last().pending().size(), 3U);
    EXPECT_EQ(server->last().count("tools/list"), 1U);
    EXPECT_EQ(server->last().count("resources/list"), 1U);
    EXPECT_EQ(server->last().count("resources/templates/list"), 1U);
}

TEST_F(DownstreamListTest, ReportsHowManyListsWereNotReadYet) {
    server->negotiated.capabilities = R"({"tools":{},"prompts":{}})";
    answers.insert_or_assign("prompts/list", CallResult{answer_of(R"({"prompts":[]})")});
    make_ready();
    EXPECT_EQ(downstream->status().unread_lists, 1U);

    server->last().pending().at(0)->finish(answer_of(tools("a")));
    loop.settle();
    EXPECT_EQ(downstream->status().unread_lists, 0U);

    answers.clear();
    server->last().lose();
    EXPECT_EQ(downstream->status().unread_lists, 0U);
    loop.run_for(1s);
    EXPECT_EQ(downstream->status().unread_lists, 2U);
}

TEST_F(DownstreamListTest, DeliversAllPagesAsOneList) {
    make_ready();
    server->last().pending().at(0)->finish(answer_of(tools("a", R"(,"nextCursor":"2")")));
    loop.settle();
    EXPECT_TRUE(watcher->listings.empty());
    ASSERT_EQ(server->last().pending().size(), 1U);
    EXPECT_EQ(server->last().pending().at(0)->request.params_members, R"("cursor":"2")");

    server->last().pending().at(0)->finish(answer_of(tools("b")));
    loop.settle();

    ASSERT_EQ(watcher->listings.size(), 1U);
    EXPECT_EQ(watcher->listings[0].entries.size(), 2U);
}

TEST_F(DownstreamListTest, TreatsAnUnknownListMethodAsEmpty) {
    server->negotiated.capabilities = R"({"resources":{}})";
    answers.insert_or_assign("resources/list", CallResult{answer_of(R"({"resources":[]})")});
    answers.insert_or_assign("resources/templates/list", CallResult{error_of(-32601)});
    make_ready();

    EXPECT_EQ(watcher->events, (Events{"listed 2", "listed 3"}));
}

TEST_F(DownstreamListTest, RetriesAfterAFailureAndRemovesNothing) {
    options.reconnect.base = 1s;
    answers.insert_or_assign("tools/list", CallResult{error_of(-32603)});
    make_ready();
    loop.run_for(3s);
    EXPECT_EQ(server->last().count("tools/list"), 3U);
    EXPECT_TRUE(watcher->listings.empty());

    answer_tools("ab");
    loop.run_for(4s);

    ASSERT_EQ(watcher->listings.size(), 1U);
    EXPECT_EQ(watcher->listings[0].entries.size(), 2U);
}

TEST_F(DownstreamListTest, ReportsAnUnavailableListWithItsReasonUntilItCanBeRead) {
    options.reconnect.base = 1s;
    server->negotiated.capabilities = R"({"tools":{},"prompts":{}})";
    answers.insert_or_assign("tools/list", CallResult{error_of(-32603)});
    answers.insert_or_assign("prompts/list", CallResult{answer_of(R"({"prompts":[]})")});
    make_ready();
    const std::size_t states = watcher->states.size();
    loop.run_for(3s);

    DownstreamStatus status = downstream->status();
    EXPECT_EQ(status.state, LinkState::ready);
    ASSERT_EQ(status.list_problems.size(), 1U);
    EXPECT_EQ(list_problems_text(status),
              "tools/list failed: The server answered with the error -32603: no.");
    EXPECT_GT(server->last().count("tools/list"), 1U);
    ASSERT_EQ(watcher->list_problems.size(), 1U);
    EXPECT_EQ(watcher->list_problems[0].list, "tools/list");

    // A changed reason is shown but not reported again.
    answers.insert_or_assign("tools/list", CallResult{answer_of(R"({"tools":null})")});
    loop.run_for(4s);
    EXPECT_EQ(list_problems_text(downstream->status()),
              "tools/list failed: The server's answer is not a valid list.");
    EXPECT_EQ(watcher->list_problems.size(), 1U);

    answer_tools("a");
    loop.run_for(8s);
    status = downstream->status();
    EXPECT_TRUE(status.list_problems.empty());
    EXPECT_EQ(list_problems_text(status), "");
    ASSERT_EQ(watcher->list_problems.size(), 2U);
    EXPECT_EQ(watcher->list_problems[1].list, "tools/list");
    EXPECT_EQ(watcher->list_problems[1].reason, "");
    EXPECT_EQ(watcher->states.size(), states);
}

TEST_F(DownstreamListTest, ForgetsTheListProblemsOfALostLink) {
    answers.insert_or_assign("tools/list", CallResult{error_of(-32603)});
    make_ready();
    ASSERT_EQ(downstream->status().list_problems.size(), 1U);

    server->last().lose();
    EXPECT_TRUE(downstream->status().list_problems.empty());
    answers.clear();
    loop.run_for(1s);

    EXPECT_EQ(downstream->status().state, LinkState::ready);
    EXPECT_TRUE(downstream->status().list_problems.empty());
}

TEST_F(DownstreamListTest, ReportsInvalidEntriesOnceAndShowsThemUntilTheyAreValid) {
    const std::string odd = R"({"tools":[{"name":"odd","inputSchema":{}}, {"name":"bare"},
        {"name":"x","inputSchema":7}, {"name":"y","inputSchema":7}]})";
    const std::string text =
        R"(tool "odd": "inputSchema.type" is not "object" (added); )"
        R"(tool "bare" is not listed: "inputSchema" is missing; )"
        R"(tool "x" is not listed: "inputSchema" is not an object; and 1 more)";
    answers.insert_or_assign("tools/list", CallResult{answer_of(odd)});
    make_ready();
    EXPECT_EQ(list_faults_text(downstream->status()), "tools/list: " + text + ".");
    EXPECT_EQ(watcher->list_faults, (std::vector<std::string>{text}));

    server->last().lose();
    loop.run_for(1min);
    EXPECT_EQ(watcher->list_faults.size(), 1U);

    answer_tools("a");
    server->last().tell(kToolsChanged);
    loop.run_for(options.relist_after);
    EXPECT_EQ(list_faults_text(downstream->status()), "");
    EXPECT_EQ(watcher->list_faults.size(), 1U);
}

TEST_F(DownstreamListTest, CutsAServersMessageBetweenWords) {
    const std::string words = std::string(490, 'x') + " token=";
    answers.insert_or_assign("tools/list",
                             CallResult{error_of(-32603, words + std::string(40, 's'))});
    make_ready();

    EXPECT_EQ(list_problems_text(downstream->status()),
              "tools/list failed: The server answered with the error -32603: " +
                  std::string(490, 'x') + ".");
}

TEST_F(DownstreamListTest, TheLossOfALinkIsNotAListProblem) {
    make_ready();
    ASSERT_EQ(server->last().pending().size(), 1U);

    server->last().lose();
    loop.settle();

    EXPECT_TRUE(watcher->list_problems.empty());
    EXPECT_TRUE(downstream->status().list_problems.empty());
}

TEST_F(DownstreamListTest, GivesEachPageItsOwnTimeLimit) {
    options.list_wait = 5s;
    options.reconnect.base = 1s;
    make_ready();

    loop.run_for(5s + 1s);

    EXPECT_EQ(server->last().count("tools/list"), 2U);
}

TEST_F(DownstreamListTest, DebouncesAStormOfChangesAndReportsItAfterTheList) {
    answer_tools("a");
    make_ready();
    watcher->events.clear();

    for (int round = 0; round < 50; ++round) {
        server->last().tell(kToolsChanged);
    }
    loop.settle();
    EXPECT_TRUE(watcher->events.empty());
    loop.run_for(options.relist_after);

    EXPECT_EQ(watcher->events, (Events{"listed 0", std::string{"!"} + kToolsChanged}));
    EXPECT_EQ(server->last().count("tools/list"), 2U);
}

TEST_F(DownstreamListTest, ListsOnceMoreWhenAListChangesWhileItIsRead) {
    make_ready();
    server->last().tell(kToolsChanged);
    server->last().tell(kToolsChanged);
    loop.run_for(1s);
    EXPECT_EQ(server->last().count("tools/list"), 1U);

    answer_tools("a");
    server->last().pending().at(0)->finish(answer_of(tools("a")));
    loop.settle();
    server->last().tell(kToolsChanged);
    loop.run_for(1s);

    EXPECT_EQ(server->last().count("tools/list"), 2U);
    EXPECT_EQ(watcher->events, (Events{"listed 0", "listed 0", std::string{"!"} + kToolsChanged}));
}

TEST_F(DownstreamListTest, ReportsAChangeEvenIfTheNewListIsUnavailable) {
    answer_tools("a");
    make_ready();
    watcher->events.clear();
    answers.insert_or_assign("tools/list", CallResult{error_of(-32603)});

    server->last().tell(kToolsChanged);
    loop.run_for(options.relist_after);

    EXPECT_EQ(watcher->events, (Events{std::string{"!"} + kToolsChanged}));
}

TEST_F(DownstreamListTest, ReportsChangedResourcesAfterBothOfTheirLists) {
    server->negotiated.capabilities = R"({"resources":{"listChanged":true}})";
    answers.insert_or_assign("resources/list", CallResult{answer_of(R"({"resources":[]})")});
    make_ready();
    server->last().pending().at(0)->finish(answer_of(R"({"resourceTemplates":[]})"));
    loop.settle();
    watcher->events.clear();

    server->last().tell(kResourcesChanged);
    loop.run_for(1s);
    EXPECT_EQ(watcher->events, (Events{"listed 2"}));
    server->last().pending().at(0)->finish(answer_of(R"({"resourceTemplates":[]})"));
    loop.settle();

    EXPECT_EQ(watcher->events,
              (Events{"listed 2", "listed 3", std::string{"!"} + kResourcesChanged}));
}

TEST_F(DownstreamListTest, ForwardsOtherNotificationsAtOnce) {
    answer_tools("a");
    make_ready();
    watcher->events.clear();

    server->last().tell("notifications/resources/updated");
    server->last().tell("notifications/prompts/list_changed");

    EXPECT_EQ(watcher->events,
              (Events{"!notifications/resources/updated", "!notifications/prompts/list_changed"}));
}

TEST_F(DownstreamListTest, ListsAgainAfterEveryConnect) {
    answer_tools("a");
    make_ready();
    server->last().lose();
    loop.run_for(1min);

    EXPECT_EQ(watcher->events, (Events{"listed 0", "listed 0"}));
}

TEST_F(DownstreamListTest, ReleasesALostLink) {
    make_ready();
    server->last().lose();
    loop.run_for(100ms);

    EXPECT_EQ(server->links[0]->count("tools/list"), 1U);
    EXPECT_TRUE(watcher->events.empty());
}

TEST_F(DownstreamListTest, ListsAnOldListOfAModernDownstreamAgainWhileItIsUsed) {
    server->negotiated.revision = mcp::kNewestModern;
    server->negotiated.capabilities = R"({"tools":{}})";
    answers.insert_or_assign("tools/list", CallResult{answer_of(tools("a", R"(,"ttlMs":10000)"))});
    answers.insert_or_assign("tools/call", CallResult{answer_of("{}")});
    make_ready();
    loop.run_for(1min);
    EXPECT_EQ(server->last().count("tools/list"), 1U);

    const Running running = call();
    loop.run_for(11s);
    EXPECT_EQ(server->last().count("tools/list"), 2U);
    loop.run_for(1min);

    EXPECT_EQ(server->last().count("tools/list"), 2U);
}

TEST_F(DownstreamListTest, DoesNotPollADownstreamThatAnnouncesChangesOrIsLegacy) {
    for (const auto revision : {mcp::kNewestModern, mcp::kNewestLegacy}) {
        server->negotiated.revision = revision;
        server->negotiated.capabilities = revision == mcp::kNewestModern
                                              ? R"({"tools":{"listChanged":true}})"
                                              : R"({"tools":{}})";
        answers.insert_or_assign("tools/list",
                                 CallResult{answer_of(tools("a", R"(,"ttlMs":1000)"))});
        answers.insert_or_assign("tools/call", CallResult{answer_of("{}")});
        make_ready();
        const Running running = call();

        loop.run_for(1min);

        EXPECT_EQ(server->last().count("tools/list"), 1U);
    }
}

TEST_F(DownstreamListTest, SkipsToolsWithInvalidHeadersOverHttp) {
    options.checks_tool_headers = true;
    answers.insert_or_assign(
        "tools/list", CallResult{answer_of(
                          R"({"tools":[{"name":"good","inputSchema":{"type":"object","properties":
             {"x":{"type":"string","x-mcp-header":"Region"}}}},
            {"name":"bad","inputSchema":{"type":"object","properties":
             {"x":{"type":"string","x-mcp-header":"not a token"}}}}]})")});
    make_ready();

    ASSERT_EQ(watcher->listings.size(), 1U);
    ASSERT_EQ(watcher->listings[0].entries.size(), 1U);
    EXPECT_EQ(watcher->listings[0].entries[0].key, "good");
    ASSERT_NE(server->last().tool_headers, nullptr);
    EXPECT_TRUE(server->last().tool_headers->params.contains("good"));
    EXPECT_EQ(server->last().tool_headers->params.size(), 1U);
}

}  // namespace
}  // namespace holdfast::downstream
