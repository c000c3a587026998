#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <tuple>
#include <utility>
#include <vector>

#include "end_to_end/commontrace_scene.hpp"
#include "support/process_watch.hpp"
#include "support/test_agent/loopback_listener.hpp"

// The success criteria of the preset `commontrace`, one scenario each: one gateway, an agent on the
// standard streams and one over HTTP, and a backend that works, hangs or is unreachable.

namespace holdfast::test {
namespace {

using Clock = std::chrono::steady_clock;
using namespace std::chrono_literals;

const std::string kOtherId = "11111111-2222-4333-8444-555555555555";
const std::string kKeyOfAgent = "key-of-the-agent-0123456789";
const std::string kKeyOfGateway = "key-of-the-gateway-0123456789";
const std::vector<std::string> kLongTimeouts{"COMMONTRACE_READ_TIMEOUT=20",
                                             "COMMONTRACE_WRITE_TIMEOUT=20"};

std::vector<StoredTrace> stored_traces() {
    return {{.id = kTraceId,
             .title = "a b",
             .context_text = "c",
             .solution_text = "s",
             .tags = {"b", "a"}},
            {.id = kOtherId, .title = "other", .context_text = "c", .solution_text = "s"}};
}

/// Returns all bytes of all files below a folder.
std::string bytes_below(const std::string& folder) {
    std::string bytes;
    for (const auto& entry : std::filesystem::recursive_directory_iterator{folder}) {
        if (entry.is_regular_file()) {
            bytes += content_of_file(entry.path().string());
        }
    }
    return bytes;
}

/// A call whose answer is read later.
struct SentCall {
    std::string id = {};
    Clock::time_point at = {};
};

class CommonTraceCriteria : public ::testing::Test {
protected:
    /// Adds `members` to the entry of the server.
    void start(const std::string& url, std::vector<std::string> variables = {},
               const std::string& clock_rate = "1", const std::string& members = {}) {
        scene_ = std::make_unique<Scene>();
        scene_->add_section(R"("telemetry":{"sample":1,"queryText":true})");
        scene_->add_server("traces", R"({"type":"rest","url":")" + url +
                                         R"(","preset":"commontrace")" +
                                         (members.empty() ? "" : "," + members) + "}");
        variables.push_back("COMMONTRACE_API_KEY=" + kKeyOfGateway);
        ASSERT_TRUE(scene_->start({"--stdio", "--clock-rate", clock_rate}, std::move(variables)));
        agents_.clear();
        for (const AgentLeg& leg : {kAgentLegs[0], kAgentLegs[1]}) {
            agents_.push_back(scene_->agent(leg));
            ASSERT_TRUE(agents_.back().open());
            ASSERT_TRUE(agents_.back().finds_tool("vote_trace"));
        }
    }
    [[nodiscard]] Scene& scene() { return *scene_; }
    [[nodiscard]] TestAgent& on_stdio() { return agents_[0]; }
    [[nodiscard]] TestAgent& on_http() { return agents_[1]; }
    [[nodiscard]] std::vector<TestAgent>& agents() { return agents_; }

    /// Returns the text of a result that is neither a protocol error nor marked as an error.
    static std::string readable_text(const std::string& answer) {
        EXPECT_NE(member_text(answer, "result"), "") << answer;
        EXPECT_EQ(member_text(answer, "error"), "") << answer;
        EXPECT_EQ(answer.find("isError"), std::string::npos) << answer;
        EXPECT_NE(text_in(answer), "") << answer;
        return text_in(answer);
    }
    static std::string called(TestAgent& agent, const TraceCall& call) {
        return readable_text(agent.request(request_of(call)));
    }
    static std::string code_of(TestAgent& agent, const TraceCall& call) {
        return plain_text(member_text(agent.request(request_of(call)), "code"));
    }
    /// Both agents call every tool, more often than the number of failures that opens the circuit.
    void expect_readable_results_of_all_tools(std::string_view how) {
        SCOPED_TRACE(how);
        for (int round = 0; round < 2; ++round) {
            for (const TraceCall& call : kTraceCalls) {
                for (TestAgent& agent : agents_) {
                    const std::string text = called(agent, call);
                    EXPECT_TRUE(text == unavailable_text(call.effect) ||
                                text == timeout_text(call.effect))
                        << call.tool << ": " << text;
                }
            }
        }
        // The gateway is alive and shuts down normally.
        EXPECT_TRUE(on_stdio().finds_tool("list_tags"));
        EXPECT_TRUE(on_http().finds_tool("list_tags"));
        EXPECT_EQ(scene().gateway().stop(), 0);
    }

    void expect_open_circuit_for_all_tools() {
        for (TestAgent& agent : agents_) {
            for (const TraceCall& call : kTraceCalls) {
                const std::string answer = agent.request(request_of(call));
                EXPECT_EQ(member_text(answer, "code"), "\"CIRCUIT_OPEN\"") << answer;
                EXPECT_EQ(readable_text(answer), unavailable_text(call.effect));
            }
        }
    }
    /// Calls until the backend has this many requests. Other calls may follow a call that is slow
    /// to arrive; the answers show which one arrived.
    void call_until_arrived(const HttpBackend& backend, std::size_t request_count,
                            std::vector<SentCall>& calls) {
        ASSERT_TRUE(eventually([&] {
            const auto at = Clock::now();
            calls.push_back({.id = on_http().send(request_of(kListTags)), .at = at});
            return eventually([&] { return backend.requests().size() >= request_count; }, 50ms);
        }));
    }
    /// Returns the calls that were not rejected; their answers are read and have this text.
    [[nodiscard]] std::vector<SentCall> let_through(std::vector<SentCall> calls,
                                                    const std::string& text) {
        std::erase_if(calls, [&](const SentCall& call) {
            const std::string answer = on_http().answer_to(call.id);
            const bool is_refused = member_text(answer, "code") == "\"CIRCUIT_OPEN\"";
            EXPECT_EQ(readable_text(answer), is_refused ? unavailable_text(Effect::reads) : text);
            return is_refused;
        });
        return calls;
    }

private:
    std::unique_ptr<Scene> scene_;
    std::vector<TestAgent> agents_;
};

TEST_F(CommonTraceCriteria, AllToolsWorkOverStdioAndHttpAlike) {
    std::vector<std::vector<std::string>> texts(2);
    std::vector<std::vector<std::string>> requests(2);
    for (const std::size_t leg : {0U, 1U}) {
        HttpBackend backend{commontrace_api(stored_traces())};
        start(backend.url(), kLongTimeouts);
        for (const TraceCall& call : kTraceCalls) {
            texts[leg].push_back(called(agents()[leg], call));
            EXPECT_EQ(backend.last().line, call.line);
            requests[leg].push_back(backend.last().line + " " + backend.last().body);
        }
    }

    EXPECT_EQ(texts[0], texts[1]);
    EXPECT_EQ(requests[0], requests[1]);
    ASSERT_EQ(texts[0].size(), 6U);
    EXPECT_TRUE(texts[0][0].starts_with("Found 1 trace for \"a b\":")) << texts[0][0];
    EXPECT_TRUE(texts[0][1].starts_with("a b\nStatus: validated")) << texts[0][1];
    EXPECT_EQ(texts[0][2], kTagsText);
    EXPECT_TRUE(texts[0][3].starts_with("Trace submitted. ID: ")) << texts[0][3];
    EXPECT_EQ(texts[0][4], "Vote recorded: up on trace " + kTraceId + ".");
    EXPECT_TRUE(texts[0][5].starts_with("Amendment submitted. ID: ")) << texts[0][5];
}

TEST_F(CommonTraceCriteria, ABackendThatIsDownCausesReadableResultsAndNeverAnError) {
    LoopbackListener nobody;
    nobody.close();
    start("http://127.0.0.1:" + std::to_string(nobody.port()));
    expect_readable_results_of_all_tools("refuses connections");

    const LoopbackListener silent;
    start(silent.url());
    expect_readable_results_of_all_tools("accepts connections and says nothing");

    const LoopbackListener rude;
    std::jthread closing{[&rude](const std::stop_token& stop) {
        while (!stop.stop_requested()) {
            const ByteStream closed_at_once = rude.accept(50ms);
        }
    }};
    start(rude.url());
    expect_readable_results_of_all_tools("closes every connection");
    closing.request_stop();

    HttpBackend failing{[](const BackendRequest&) {
        return net::HttpReply{.status = 503, .body = "<h1>Service Unavailable</h1>"};
    }};
    start(failing.url(), kLongTimeouts);
    expect_readable_results_of_all_tools("answers with status 503");
}

TEST_F(CommonTraceCriteria, ReadsEndWithin200MillisecondsAndWritesWithin2Seconds) {
    HttpBackend backend{
        [](const BackendRequest&) { return net::HttpReply{.status = HttpBackend::kSilent}; }};
    start(backend.url(), {"COMMONTRACE_CIRCUIT_FAILURE_THRESHOLD=100"});
    // A busy machine delays single calls, but hardly all of them.
    auto fastest_read = Clock::duration::max();
    auto fastest_write = Clock::duration::max();
    for (TestAgent& agent : agents()) {
        for (int round = 0; round < 4; ++round) {
            const auto begin = Clock::now();
            EXPECT_EQ(called(agent, kListTags), timeout_text(Effect::reads));
            const auto took = Clock::now() - begin;
            EXPECT_GE(took, 200ms);
            EXPECT_LT(took, 2s) << "a read has a shorter limit than a write";
            fastest_read = std::min(fastest_read, took);
        }
        for (const TraceCall& call : kTraceCalls) {
            const auto begin = Clock::now();
            EXPECT_EQ(called(agent, call), timeout_text(call.effect)) << call.tool;
            const auto took = Clock::now() - begin;
            EXPECT_GE(took, call.effect == Effect::reads ? 200ms : 2'000ms) << call.tool;
            if (call.effect == Effect::writes) {
                fastest_write = std::min(fastest_write, took);
            }
        }
    }
    EXPECT_LT(fastest_read, 350ms);
    EXPECT_LT(fastest_write, 2'300ms);
}

TEST_F(CommonTraceCriteria, FiveFailuresOpenTheCircuitAndOneProbeAfter30SecondsClosesIt) {
    constexpr auto kOpen = 30'000ms / 20;
    constexpr auto kReadTimeout = 20'000ms / 20;
    HttpBackend backend{commontrace_api(stored_traces())};
    // The preset's limit of 5 s for a request overrides the variables, and is only a quarter of a
    // second at this rate.
    start(backend.url(), {}, "20", R"("timeout":"20s")");
    // Calls of every kind and tool, by both agents: all count on one circuit.
    backend.answer(kTraceCalls[0].line, 500, "{}");
    backend.answer(kTraceCalls[1].line, 503, "{}");
    backend.be_silent(kListTags.line);
    backend.answer(kContribute.line, 502, "{}");
    EXPECT_EQ(code_of(on_stdio(), kTraceCalls[0]), "DOWNSTREAM_ERROR");
    EXPECT_EQ(code_of(on_http(), kTraceCalls[1]), "DOWNSTREAM_ERROR");
    EXPECT_EQ(code_of(on_stdio(), kListTags), "TIMEOUT");
    EXPECT_EQ(code_of(on_http(), kContribute), "DOWNSTREAM_ERROR");
    const auto opened = Clock::now();
    EXPECT_EQ(code_of(on_http(), kTraceCalls[1]), "DOWNSTREAM_ERROR");

    // The first probe fails and reopens the circuit.
    std::vector<SentCall> calls;
    call_until_arrived(backend, 6, calls);
    EXPECT_GE(Clock::now() - opened, kOpen);
    expect_open_circuit_for_all_tools();
    EXPECT_EQ(backend.requests().size(), 6U) << "one probe at a time";
    const std::vector<SentCall> failed = let_through(calls, timeout_text(Effect::reads));
    ASSERT_EQ(failed.size(), 1U);
    EXPECT_GT(calls.size(), 1U) << "none was refused before the probe";

    // The second probe closes it. If it is quick, the calls right after it get through as well.
    for (const TraceCall& call : kTraceCalls) {
        backend.forget(call.line);
    }
    calls.clear();
    call_until_arrived(backend, 7, calls);
    EXPECT_GE(Clock::now() - failed.front().at, kReadTimeout + kOpen);
    const std::vector<SentCall> succeeded = let_through(calls, kTagsText);
    ASSERT_FALSE(succeeded.empty());
    EXPECT_GT(calls.size(), succeeded.size()) << "none was refused before the probe";

    for (TestAgent& agent : agents()) {
        EXPECT_EQ(called(agent, kListTags), kTagsText);
    }
    EXPECT_TRUE(called(on_stdio(), kTraceCalls[0]).starts_with("Found 1 trace"));
    EXPECT_TRUE(called(on_http(), kContribute).starts_with("Trace submitted."));
}

TEST_F(CommonTraceCriteria, TheApiKeyComesFromTheHeaderOrTheEnvironmentAndReachesOnlyTheBackend) {
    HttpBackend backend{commontrace_api(stored_traces())};
    start(backend.url(), kLongTimeouts);
    TestAgent with_header = scene().agent(kAgentLegs[1], "x-api-key: " + kKeyOfAgent + "\r\n");
    ASSERT_TRUE(with_header.open());
    std::string answers;
    const std::vector<std::pair<TestAgent*, std::string>> keys{
        {&on_stdio(), kKeyOfGateway}, {&on_http(), kKeyOfGateway}, {&with_header, kKeyOfAgent}};
    for (const auto& [agent, key] : keys) {
        answers += agent->request({.method = "tools/list"});
        for (const TraceCall& call : kTraceCalls) {
            answers += agent->request(request_of(call));
            EXPECT_EQ(backend.last().header("x-api-key"), key);
        }
        // The backend repeats the key in its errors, and the agent asks for debug details.
        for (const int status : {401, 403, 422, 429, 500}) {
            backend.answer(kListTags.line, status, R"({"detail":"bad key )" + key + "\"}");
            AgentRequest request = request_of(kListTags);
            request.meta = R"("dev.holdfast/debug":true)";
            answers += agent->request(request);
            EXPECT_EQ(backend.last().header("x-api-key"), key);
        }
        backend.forget(kListTags.line);
        answers += agent->request(tool_call("search_traces", R"({"api_key":")" + key + "\"}"));
    }
    EXPECT_TRUE(has(answers, "Found 1 trace")) << answers;
    EXPECT_EQ(scene().gateway().stop(), 0);

    const std::string log = scene().gateway().program().all_error_text();
    const std::string files = bytes_below(scene().folder().path());
    EXPECT_TRUE(has(files, "contribute_trace")) << "the store has the calls";
    for (const std::string& key : {kKeyOfGateway, kKeyOfAgent}) {
        EXPECT_FALSE(has(answers, key)) << answers.substr(answers.find(key) - 200, 300);
        EXPECT_FALSE(has(log, key)) << log;
        EXPECT_FALSE(has(files, key));
    }
}

/// What the telemetry stores of calls with a key.
using CommonTraceTelemetry = CommonTraceCriteria;

TEST_F(CommonTraceTelemetry, TheStoreHasEveryFailureAndNoApiKey) {
    HttpBackend backend{commontrace_api(stored_traces())};
    start(backend.url(), {"COMMONTRACE_READ_TIMEOUT=1", "COMMONTRACE_WRITE_TIMEOUT=20"});
    TestAgent with_header = scene().agent(kAgentLegs[1], "x-api-key: " + kKeyOfAgent + "\r\n");
    ASSERT_TRUE(with_header.open());
    const std::vector<std::pair<TestAgent*, std::string>> keys{{&on_stdio(), kKeyOfGateway},
                                                               {&with_header, kKeyOfAgent}};
    for (const auto& [agent, key] : keys) {
        EXPECT_EQ(called(*agent, kListTags), kTagsText);
        // The backend repeats the key in its answers, and the agent puts it into arguments.
        backend.answer(kListTags.line, 422, R"({"detail":"not with )" + key + "\"}");
        EXPECT_TRUE(has(called(*agent, kListTags), "HTTP 422"));
        const std::string arguments = R"({"query":")" + key + R"(","api_key":")" + key + "\"}";
        EXPECT_EQ(member_text(agent->request(tool_call("search_traces", arguments)), "code"),
                  "\"INVALID_ARGUMENTS\"");
        backend.answer(kListTags.line, 500, R"({"detail":"broken by )" + key + "\"}");
        EXPECT_EQ(code_of(*agent, kListTags), "DOWNSTREAM_ERROR");
        backend.forget(kListTags.line);
    }
    backend.be_silent(kListTags.line);
    EXPECT_EQ(code_of(with_header, kListTags), "TIMEOUT");
    backend.answer(kListTags.line, 500, R"({"detail":"broken by )" + kKeyOfAgent + "\"}");
    ASSERT_TRUE(eventually([&] { return code_of(with_header, kListTags) == "CIRCUIT_OPEN"; }));

    // While the gateway runs, the newest rows are in the write-ahead log of the store.
    const std::string folder = scene().folder().path();
    EXPECT_TRUE(eventually([&] { return has(bytes_below(folder), "CIRCUIT_OPEN"); }));
    const std::string running = bytes_below(folder);
    EXPECT_EQ(scene().gateway().stop(), 0);
    const std::string stopped = content_of_file(folder + "/holdfast/telemetry.db");

    for (const std::string_view code :
         {"INVALID_ARGUMENTS", "TIMEOUT", "DOWNSTREAM_ERROR", "CIRCUIT_OPEN", "list_tags",
          "broken by", "not with", "[redacted]"}) {
        EXPECT_TRUE(has(stopped, code)) << code;
    }
    for (const std::string& bytes : {running, stopped}) {
        EXPECT_FALSE(has(bytes, kKeyOfGateway));
        EXPECT_FALSE(has(bytes, kKeyOfAgent));
    }
}

}  // namespace
}  // namespace holdfast::test
