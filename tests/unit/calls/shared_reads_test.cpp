// Reads that are alike and in flight at the same time.
#include "calls/shared_reads.hpp"

#include <gtest/gtest.h>

#include <chrono>

#include "support/gateway/answers.hpp"
#include "support/gateway/gateway_world.hpp"

namespace holdfast::calls {
namespace {

using downstream::CallFault;
using mcp::Era;
using namespace std::chrono_literals;

constexpr std::string_view kGood = R"({"content":[{"type":"text","text":"good"}]})";

class SharedReadsTest : public test::GatewayWorld {
protected:
    void begin_with(const std::string& annotations = R"({"readOnlyHint":true})") {
        server = add_server("box", Era::legacy);
        server->lists["tools/list"] =
            R"({"tools":[{"name":"t","inputSchema":{"type":"object"},"annotations":)" +
            annotations + "}]}";
        begin();
    }
    test::Port call(const std::string& arguments = R"({"a":1})", const Modern& from = {}) {
        return request(from, "tools/call", R"("name":"t","arguments":)" + arguments,
                       std::to_string(++last_id));
    }
    static bool is_good(const test::Port& port) {
        return port->answer().find(R"("text":"good")") != std::string::npos;
    }

    int last_id = 0;
    std::shared_ptr<test::FakeServer> server;
};

TEST_F(SharedReadsTest, OneAttemptAnswersThemAll) {
    policy = R"({"shareReads": true})";
    begin_with();
    const auto first = call();
    const auto second = call();
    const auto third = call();

    ASSERT_EQ(server->calls.size(), 1U);
    answer(server->last(), test::legacy_result(std::string{kGood}));

    EXPECT_TRUE(is_good(first)) << first->answer();
    EXPECT_TRUE(is_good(second)) << second->answer();
    EXPECT_TRUE(is_good(third)) << third->answer();
    EXPECT_NE(second->answer().find(R"("id":2)"), std::string::npos);
    EXPECT_NE(test::call_id_in(first->whole_answer()), test::call_id_in(second->whole_answer()));
    call();
    EXPECT_EQ(server->calls.size(), 2U);  // What comes later is asked anew.
}

TEST_F(SharedReadsTest, ShareAFailureToo) {
    policy = R"({"shareReads": true, "retry": "none"})";
    begin_with();
    const auto first = call();
    const auto second = call();
    answer(server->last(), CallFault{.kind = CallFault::Kind::malformed, .message = "junk"});

    EXPECT_EQ(server->calls.size(), 1U);
    EXPECT_NE(first->answer().find("MALFORMED_RESPONSE"), std::string::npos) << first->answer();
    EXPECT_NE(second->answer().find("MALFORMED_RESPONSE"), std::string::npos) << second->answer();
}

TEST_F(SharedReadsTest, OnlyWhatIsAlikeAndReadsAndWhereThePolicySaysSo) {
    policy = R"({"shareReads": true})";
    begin_with();
    call();
    call(R"({"a":2})");
    call(R"({"a":1})", {.principal = "bob"});
    EXPECT_EQ(server->calls.size(), 3U);
}

TEST_F(SharedReadsTest, WritesAreNeverShared) {
    policy = R"({"shareReads": true})";
    begin_with("{}");
    call();
    call();
    EXPECT_EQ(server->calls.size(), 2U);
}

TEST_F(SharedReadsTest, NothingIsSharedByDefault) {
    begin_with();
    call();
    call();
    EXPECT_EQ(server->calls.size(), 2U);
}

TEST_F(SharedReadsTest, WhenTheFirstIsCancelledTheNextIsSent) {
    policy = R"({"shareReads": true})";
    begin_with();
    const auto first = call();
    const auto second = call();
    const auto third = call();
    on_loop([&] { first->gone(); });

    ASSERT_EQ(server->calls.size(), 2U);
    answer(server->last(), test::legacy_result(std::string{kGood}));
    EXPECT_TRUE(is_good(second)) << second->answer();
    EXPECT_TRUE(is_good(third)) << third->answer();
    EXPECT_EQ(first->ends(), 1U);
}

TEST_F(SharedReadsTest, OneThatIsCancelledLeavesTheOthersAlone) {
    policy = R"({"shareReads": true})";
    begin_with();
    const auto first = call();
    const auto second = call();
    on_loop([&] { second->gone(); });
    answer(server->last(), test::legacy_result(std::string{kGood}));

    EXPECT_TRUE(is_good(first));
    EXPECT_TRUE(second->answers.empty());
}

TEST_F(SharedReadsTest, OneWithLessTimeDoesNotWaitLonger) {
    policy = R"({"shareReads": true, "timeout": "60s", "attemptTimeout": "60s"})";
    begin_with();
    const auto first = call();
    const auto hasty = call(R"({"a":1})", {.more_meta = R"(,"dev.holdfast/timeout":2)"});
    loop.run_for(3s);

    EXPECT_NE(hasty->answer().find("TIMEOUT"), std::string::npos) << hasty->answer();
    EXPECT_EQ(first->ends(), 0U);
}

}  // namespace
}  // namespace holdfast::calls
