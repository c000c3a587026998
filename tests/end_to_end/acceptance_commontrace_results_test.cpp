#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "end_to_end/commontrace_scene.hpp"

// The preset `commontrace` in front of a backend that checks every body against the published
// schemas: what is sent, the text of the answers, and which arguments are rejected before anything
// is sent.

namespace holdfast::test {
namespace {

const std::string kOtherId = "11111111-2222-4333-8444-555555555555";
const std::string kLong(300, 'x');

/// Returns a JSON list of this many tags.
std::string tags_of(int count) {
    std::string list;
    for (int number = 1; number <= count; ++number) {
        list += (list.empty() ? "\"" : ",\"") + std::to_string(number) + "\"";
    }
    return "[" + list + "]";
}

/// Returns a contribution with this many tags.
std::string contribution_with_tags(int count) {
    return R"({"title":"t","context_text":"c","solution_text":"s","tags":)" + tags_of(count) + "}";
}

const std::vector<StoredTrace> kStored{
    {.id = kTraceId,
     .title = "Pool runs dry",
     .context_text = "Requests wait for a connection.",
     .solution_text = kLong,
     .tags = {"postgres", "asyncio"}},
    {.id = kOtherId,
     .title = "Pool leaks",
     .context_text = "ääää" + kLong,
     .solution_text = "Close it.",
     .status = "pending",
     .similarity_score = 0.5,
     .trust_score = 0},
};

class CommonTraceResults : public CommonTraceTest {
protected:
    /// Uses time limits that a busy machine does not reach.
    void start_backend() {
        start(backend.url(), {"COMMONTRACE_READ_TIMEOUT=20", "COMMONTRACE_WRITE_TIMEOUT=20"});
    }
    [[nodiscard]] std::string text_of(const std::string& tool, const std::string& arguments) {
        return readable_text(agent().request(tool_call(tool, arguments)));
    }
    /// Returns the answer to a call that must be rejected before anything is sent.
    [[nodiscard]] std::string refused(const std::string& tool, const std::string& arguments) {
        const std::size_t before = backend.requests().size();
        const std::string answer = agent().request(tool_call(tool, arguments));
        EXPECT_EQ(backend.requests().size(), before) << arguments;
        EXPECT_EQ(member_text(answer, "code"), "\"INVALID_ARGUMENTS\"") << answer;
        EXPECT_EQ(member_text(answer, "isError"), "true") << answer;
        return text_in(answer);
    }
    [[nodiscard]] static std::string id_and(const std::string& members) {
        return R"({"trace_id":")" + kTraceId + "\"," + members + "}";
    }

    HttpBackend backend{commontrace_api(kStored)};
};

INSTANTIATE_TEST_SUITE_P(Over, CommonTraceResults, ::testing::Values(kAgentLegs[0], kAgentLegs[1]),
                         name_of_leg);

TEST_P(CommonTraceResults, SearchIsANumberedListWithTheStartOfContextAndSolution) {
    start_backend();

    EXPECT_EQ(text_of("search_traces", R"({"query":"Pool"})"),
              "Found 2 traces for \"Pool\":\n"
              "\n"
              "1. Pool runs dry (score: 0.88, trust: 3.2)\n"
              "   Tags: postgres, asyncio\n"
              "   Context: Requests wait for a connection.\n"
              "   Solution: " +
                  std::string(200, 'x') +
                  "...\n"
                  "   ID: " +
                  kTraceId +
                  "\n"
                  "\n"
                  "2. Pool leaks (score: 0.50, trust: 0.0)\n"
                  "   Tags: (none)\n"
                  "   Context: ääää" +
                  std::string(196, 'x') +
                  "...\n"
                  "   Solution: Close it.\n"
                  "   ID: " +
                  kOtherId);
    EXPECT_EQ(backend.last().body, R"({"q":"Pool"})");
}

TEST_P(CommonTraceResults, SearchSendsTheNamesOfThePublishedSchema) {
    start_backend();

    EXPECT_TRUE(has(text_of("search_traces", R"({"tags":["asyncio"],"limit":1,"query":null})"),
                    "Found 1 trace:\n\n1. Pool runs dry"));
    EXPECT_EQ(backend.last().body, R"({"tags":["asyncio"],"limit":1})");
}

TEST_P(CommonTraceResults, SearchWithoutAMatchSaysThatNoTracesWereFound) {
    start_backend();

    EXPECT_EQ(text_of("search_traces", R"({"query":"zebra"})"),
              "No traces found. Try other words, or fewer tags.");
}

TEST_P(CommonTraceResults, TraceHasTitleStatusTrustTagsAndTheWholeText) {
    start_backend();

    EXPECT_EQ(text_of("get_trace", R"({"trace_id":")" + kTraceId + "\"}"),
              "Pool runs dry\n"
              "Status: validated | Trust: 3.2 | Tags: postgres, asyncio\n"
              "\n"
              "Context:\n"
              "Requests wait for a connection.\n"
              "\n"
              "Solution:\n" +
                  kLong);
}

TEST_P(CommonTraceResults, TagsAreCountedAndSorted) {
    start_backend();

    EXPECT_EQ(text_of("list_tags", "{}"), "2 tags:\nasyncio, postgres");
}

TEST_P(CommonTraceResults, ContributionSendsAllItsFieldsAndShowsIdAndStatus) {
    start_backend();
    const std::string all = R"({"title":"t","context_text":"c","solution_text":"s","tags":["x"],)"
                            R"("supersedes_trace_id":")" +
                            kOtherId +
                            R"(","review_after":"2027-06-01T00:00:00Z","watch_condition":"w"})";

    EXPECT_EQ(text_of("contribute_trace", all),
              "Trace submitted. ID: 0d4f8f4e-2f6e-4d6a-9c2b-7e5a1b3c9d10. Status: pending.");
    EXPECT_EQ(backend.last().body, all);
}

TEST_P(CommonTraceResults, VoteShowsItsKindAndTheTrace) {
    start_backend();

    EXPECT_EQ(text_of("vote_trace", id_and(R"("vote_type":"up")")),
              "Vote recorded: up on trace " + kTraceId + ".");
    EXPECT_EQ(backend.last().body, R"({"vote_type":"up"})");
    EXPECT_EQ(text_of("vote_trace", id_and(R"("vote_type":"up")")),
              "[CommonTrace error] HTTP 409: Already voted on this trace");
}

TEST_P(CommonTraceResults, DownVoteSendsItsFeedback) {
    start_backend();

    EXPECT_EQ(text_of("vote_trace",
                      id_and(R"("vote_type":"down","feedback_tag":"wrong","feedback_text":"no")")),
              "Vote recorded: down on trace " + kTraceId + ".");
    EXPECT_EQ(backend.last().body,
              R"({"vote_type":"down","feedback_tag":"wrong","feedback_text":"no"})");
}

TEST_P(CommonTraceResults, AmendmentShowsItsIdAndTheTrace) {
    start_backend();

    EXPECT_EQ(text_of("amend_trace", id_and(R"("improved_solution":"i","explanation":"e")")),
              "Amendment submitted. ID: 0d4f8f4e-2f6e-4d6a-9c2b-7e5a1b3c9d10. It amends trace " +
                  kTraceId + ".");
}

TEST_P(CommonTraceResults, TheJsonOfTheBackendIsInStructuredContent) {
    start_backend();

    const std::string answer = agent().request(request_of(kListTags));

    EXPECT_EQ(member_text(answer, "structuredContent"), R"({"tags":["postgres","asyncio"]})");
}

TEST_P(CommonTraceResults, ATraceThatDoesNotExistIsAReadableResult) {
    start_backend();

    EXPECT_EQ(text_of("get_trace", R"({"trace_id":"00000000-0000-4000-8000-000000000000"})"),
              "[CommonTrace error] HTTP 404: Trace not found");
}

TEST_P(CommonTraceResults, LimitsOfArgumentsAreAccepted) {
    start_backend();
    for (const std::string limit : {"1", "50"}) {
        EXPECT_TRUE(has(text_of("search_traces", R"({"query":"a","tags":)" + tags_of(10) +
                                                     R"(,"limit":)" + limit + "}"),
                        "No traces found"));
    }
    EXPECT_TRUE(has(text_of("contribute_trace", contribution_with_tags(20)), "Trace submitted."));
    EXPECT_TRUE(has(backend.last().body, R"("tags":)" + tags_of(20))) << backend.last().body;
    const std::string longest(50'000, 'x');
    EXPECT_TRUE(has(text_of("contribute_trace", R"({"title":")" + std::string(200, 'x') +
                                                    R"(","context_text":")" + longest +
                                                    R"(","solution_text":")" + longest + "\"}"),
                    "Trace submitted."));
}

TEST_P(CommonTraceResults, ArgumentsBeyondTheLimitsAreRefusedAndNotSent) {
    start_backend();
    const std::string long_text(50'001, 'x');
    const std::vector<std::pair<std::string, std::string>> calls{
        {"search_traces", R"({"query":1})"},
        {"search_traces", R"({"query":"a","tags":"b"})"},
        {"search_traces", R"({"query":"a","limit":0})"},
        {"search_traces", R"({"query":"a","limit":51})"},
        {"search_traces", R"({"query":"a","tags":)" + tags_of(11) + "}"},
        {"search_traces", R"({"q":"a"})"},
        {"get_trace", R"({"trace_id":"../tags"})"},
        {"get_trace", R"({"trace_id":"6f1b4d8e8f0a4f0c9a530d3a6f1e2b7c"})"},
        {"get_trace", "{}"},
        {"contribute_trace", R"({"title":"t","context_text":"c"})"},
        {"contribute_trace", R"({"title":"","context_text":"c","solution_text":"s"})"},
        {"contribute_trace",
         R"({"title":")" + std::string(201, 'x') + R"(","context_text":"c","solution_text":"s"})"},
        {"contribute_trace",
         R"({"title":"t","context_text":")" + long_text + R"(","solution_text":"s"})"},
        {"contribute_trace",
         R"({"title":"t","context_text":"c","solution_text":")" + long_text + "\"}"},
        {"contribute_trace", R"({"title":"t","context":"c","solution":"s"})"},
        {"contribute_trace", contribution_with_tags(21)},
        {"contribute_trace", R"({"title":"t","context_text":"c","solution_text":"s",)"
                             R"("supersedes_trace_id":"7"})"},
        {"contribute_trace", R"({"title":"t","context_text":"c","solution_text":"s",)"
                             R"("review_after":"soon"})"},
        {"vote_trace", R"({"trace_id":"1","vote_type":"up"})"},
        {"vote_trace", id_and(R"("vote_type":"sideways")")},
        {"vote_trace", id_and(R"("vote_type":"down","feedback_tag":"boring")")},
        {"amend_trace", id_and(R"("improved_solution":"i")")},
    };
    for (const auto& [tool, arguments] : calls) {
        EXPECT_TRUE(has(refused(tool, arguments), "Available parameters: ")) << arguments;
    }
}

TEST_P(CommonTraceResults, ASearchNeedsAQueryOrTags) {
    start_backend();
    for (const std::string arguments :
         {"{}", R"({"limit":5})", R"({"query":null})", R"({"query":"","tags":[]})"}) {
        const std::string text = refused("search_traces", arguments);

        EXPECT_TRUE(has(text,
                        "Error calling tool 'search_traces':\n"
                        "  Give \"query\", \"tags\" or both: a search needs at least one of them. "
                        "The tool was not run."))
            << text;
        EXPECT_TRUE(has(text, "You sent: " + arguments)) << text;
    }
}

TEST_P(CommonTraceResults, ADownVoteNeedsAFeedbackTag) {
    start_backend();
    for (const std::string members :
         {R"("vote_type":"down")", R"("vote_type":"down","feedback_tag":null)"}) {
        EXPECT_TRUE(has(refused("vote_trace", id_and(members)),
                        "A down vote needs \"feedback_tag\": outdated, wrong, security_concern "
                        "or spam."));
    }
}

TEST_P(CommonTraceResults, ListedSchemasAreFlat) {
    start_backend();

    const std::string list = agent().request({.method = "tools/list"});

    for (const std::string_view word :
         {"\"anyOf\"", "\"oneOf\"", "\"allOf\"", "\"if\"", "\"then\"", "api_key", "x-api-key"}) {
        EXPECT_FALSE(has(list, word)) << word;
    }
    EXPECT_TRUE(has(list, "\"name\":\"amend_trace\"")) << list;
}

TEST_P(CommonTraceResults, AgentsGetTheInstructionsOfThePreset) {
    start_backend();
    TestAgent newcomer = scene.agent(kAgentLegs[1]);

    const std::string answer =
        newcomer.request({.method = "initialize",
                          .params = R"("protocolVersion":"2025-11-25","capabilities":{},)"
                                    R"("clientInfo":{"name":"t","version":"1"})"});

    const std::string instructions = member_text(answer, "instructions");
    for (const std::string_view tool : {"search_traces", "contribute_trace", "vote_trace"}) {
        EXPECT_TRUE(has(instructions, tool)) << answer;
    }
}

TEST_P(CommonTraceResults, TheNamesOfTheOldSchemaAreRefusedByTheTestBackend) {
    // The gateway rejects these itself, so the test calls the backend directly.
    CommonTraceApi api{kStored};
    const auto status = [&api](std::string line, std::string body) {
        return api
            .respond({.line = std::move(line),
                      .body = std::move(body),
                      .headers = {{"x-api-key", "k"}, {"content-type", "application/json"}}})
            .status;
    };

    EXPECT_EQ(status("POST /api/v1/traces/search", R"({"query":"a"})"), 422);
    EXPECT_EQ(status("POST /api/v1/traces/search", R"({"q":"a"})"), 200);
    EXPECT_EQ(status("POST /api/v1/traces", R"({"title":"t","context":"c","solution":"s"})"), 422);
    EXPECT_EQ(status("POST /api/v1/traces/" + kTraceId + "/votes", R"({"vote":"up"})"), 422);
    EXPECT_EQ(status("POST /api/v1/traces/" + kTraceId + "/votes", R"({"vote_type":"down"})"), 422);
    EXPECT_EQ(api.respond({.line = "GET /api/v1/tags"}).status, 401);
}

}  // namespace
}  // namespace holdfast::test
