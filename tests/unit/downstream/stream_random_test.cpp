#include <random>

#include "unit/downstream/stream_link_fixture.hpp"

namespace holdfast::downstream {
namespace {

/// Every call ends exactly once and by its deadline for random actions of the peer, the callers and
/// the clock. `Running` checks that no call ends twice.
class StreamLinkRandomTest : public StreamLinkFixture {
protected:
    void run(std::uint32_t seed, mcp::Revision revision) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        random.seed(seed);
        calls.clear();
        listener = std::make_shared<RecordingLinkListener>();
        open(revision, {.link = {.max_calls = 8}, .max_questions = 4}, 6);
        for (int step = 0; step < 60; ++step) {
            act();
        }
        loop.run_for(kLongest);
        for (const Call& started : calls) {
            EXPECT_TRUE(started.has_ended());
        }
        EXPECT_LE(listener->losses.size(), 1U);
        calls.clear();
        hearer->questions.clear();
        link.reset();
        loop.settle();
    }

private:
    static constexpr auto kLongest = 20s;

    std::uint32_t below(std::uint32_t limit) {
        return std::uniform_int_distribution<std::uint32_t>{0, limit - 1}(random);
    }
    std::string any_id() { return std::to_string(below(30)); }

    void start_call() {
        Request request = call_of(below(2) == 0 ? "a" : "b", below(2) == 0);
        request.wants_progress = below(2) == 0;
        request.deadline = in(std::chrono::seconds{below(20)});
        const bool is_own = below(4) == 0;
        request.agent = is_own ? nullptr : request.agent;
        calls.push_back(call(request, is_own ? nullptr : hearer));
    }
    void say_anything() {
        const std::string id = any_id();
        const std::vector<std::string> messages{
            R"({"jsonrpc":"2.0","id":)" + id + R"(,"result":{}})",
            R"({"jsonrpc":"2.0","id":)" + id + R"(,"error":{"code":-32601,"message":"m"}})",
            R"({"jsonrpc":"2.0","error":{"code":1,"message":"m"}})",
            R"({"jsonrpc":"2.0","id":)" + id + R"(,"result":7})",
            R"({"jsonrpc":"2.0","id":)" + id + R"(,"method":"roots/list"})",
            R"({"jsonrpc":"2.0","id":)" + id + R"(,"method":"ping"})",
            R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":)" + id +
                "}}",
            R"({"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":)" +
                id + R"(,"progress":)" + any_id() + "}}",
            R"({"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":)"
            R"({"_meta":{"io.modelcontextprotocol/subscriptionId":)" +
                id + "}}}",
            R"({"jsonrpc":"2.0","method":"notifications/message"})",
            "junk",
            "",
            "[]",
        };
        // A full queue or an ended channel rejects it, as with a real peer.
        std::ignore = peer->try_write(messages[below(static_cast<std::uint32_t>(messages.size()))]);
    }
    void answer_question() {
        if (!hearer->questions.empty()) {
            if (below(2) == 0) {
                hearer->questions.back().answer({.body = "{}"});
            }
            hearer->questions.pop_back();
        }
    }
    void act() {
        switch (below(40)) {
            case 0:
                peer->end();
                break;
            case 1:
                boost::asio::co_spawn(loop.context, link->close({}),
                                      [](const std::exception_ptr&) {});
                break;
            case 2:
                peer->write_too_long();
                break;
            case 3:
                link->set_interests({.lists = below(2) == 0, .resource_uris = {any_id()}});
                break;
            case 4:
            case 5:
                if (!calls.empty()) {
                    calls[below(static_cast<std::uint32_t>(calls.size()))].cancel();
                }
                break;
            case 6:
            case 7:
                answer_question();
                break;
            case 8:
            case 9:
                loop.run_for(std::chrono::milliseconds{below(5'000)});
                break;
            default:
                act_often();
        }
        if (below(2) == 0) {
            loop.settle();
        }
    }
    void act_often() {
        switch (below(3)) {
            case 0:
                start_call();
                break;
            case 1:
                say_anything();
                break;
            default:
                std::ignore = sent();
        }
    }

    std::mt19937 random;
    std::vector<Call> calls;
    std::shared_ptr<RecordingCallListener> hearer = std::make_shared<RecordingCallListener>();
};

INSTANTIATE_TEST_SUITE_P(CallStyles, StreamLinkRandomTest,
                         ::testing::Values(testing::CallStyle::coroutine,
                                           testing::CallStyle::observer),
                         testing::name_of_style);

TEST_P(StreamLinkRandomTest, EndsEveryLegacyCallOnce) {
    for (std::uint32_t seed = 0; seed < 200; ++seed) {
        run(seed, mcp::kNewestLegacy);
    }
}

TEST_P(StreamLinkRandomTest, EndsEveryModernCallOnce) {
    for (std::uint32_t seed = 0; seed < 200; ++seed) {
        run(seed, mcp::kNewestModern);
    }
}

}  // namespace
}  // namespace holdfast::downstream
