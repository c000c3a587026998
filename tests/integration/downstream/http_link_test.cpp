#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "downstream/http_opener.hpp"
#include "integration/downstream/fixture_process.hpp"
#include "integration/net/client_loop.hpp"

// Links to a real server over real sockets, in both eras.

namespace holdfast::downstream {
namespace {

using namespace std::chrono_literals;
using Opened = resilience::Result<std::shared_ptr<Link>, CallFault>;

struct Ear final : CallListener {
    void on_notification(Notification notification) override {
        notifications.push_back(std::move(notification));
    }
    void on_question(Question question) override {
        questions.push_back(question.method);
        question.answer({.body = R"({"action":"accept","content":{"username":"u","email":"e"}})"});
    }

    std::vector<Notification> notifications;
    std::vector<std::string> questions;
};

struct Owner final : LinkListener {
    void on_notification(Notification notification) override {
        methods.push_back(std::move(notification.method));
    }
    void on_question(Question /*question*/) override {}
    void on_lost(CallFault why) override { losses.push_back(std::move(why)); }

    std::vector<std::string> methods;
    std::vector<CallFault> losses;
};

boost::asio::awaitable<bool> closed(std::shared_ptr<Link> link) {
    co_await link->close({});
    co_return true;
}

class HttpLinkTest : public ::testing::Test {
protected:
    void serve(std::vector<std::string> more, const std::string& transport = "--http") {
        server = std::make_unique<test::FixtureProcess>(transport, std::move(more));
        ASSERT_NE(server->url(), "");
        const auto url = net::parsed_url(server->url());
        ASSERT_TRUE(url);
        auto made = make_http_opener({.url = *url}, {});
        ASSERT_TRUE(made);
        opener = std::move(*made);
        link = open();
        ASSERT_TRUE(link);
    }
    std::shared_ptr<Link> open() {
        const LinkPurpose purpose{.capabilities = R"({"elicitation":{},"sampling":{}})"};
        auto opened = loop.run(opener->open(loop.loop(), purpose, owner, loop.within(10s)));
        EXPECT_TRUE(opened) << (opened ? "" : opened.error().message);
        return opened ? *opened : nullptr;
    }
    Request tool_call(std::string name, const std::string& arguments = "{}") {
        return {.method = "tools/call",
                .params_members = R"("name":")" + name + R"(","arguments":)" + arguments,
                .name = std::move(name),
                .wants_progress = true,
                .agent = std::make_shared<AgentIdentity>(
                    AgentIdentity{.key = "a", .capabilities = R"({"elicitation":{"form":{}}})"}),
                .deadline = loop.within(10s)};
    }
    std::string text_of(const CallResult& result) {
        return result ? std::string{result->body()} : "fault: " + result.error().message;
    }
    CallResult run(Request request) {
        return loop.run(link->call(loop.loop(), std::move(request), ear));
    }
    void TearDown() override {
        if (link) {
            EXPECT_TRUE(loop.run(closed(link)));
        }
        link.reset();
        opener.reset();
        loop.settle();
    }

    net::ClientLoop loop;
    std::unique_ptr<test::FixtureProcess> server;
    std::unique_ptr<LinkOpener> opener;
    std::shared_ptr<Ear> ear = std::make_shared<Ear>();
    std::shared_ptr<Owner> owner = std::make_shared<Owner>();
    std::shared_ptr<Link> link;
};

TEST_F(HttpLinkTest, WorksWithAModernServer) {
    serve({"--era", "modern"});

    EXPECT_EQ(link->negotiated().era(), mcp::Era::modern);
    const auto result = run(tool_call("test_simple_text"));

    ASSERT_TRUE(result) << text_of(result);
    EXPECT_FALSE(result->is_error()) << text_of(result);
    EXPECT_TRUE(result->has_result_type);
}

TEST_F(HttpLinkTest, WorksWithALegacyServer) {
    serve({"--era", "legacy"});

    EXPECT_EQ(link->negotiated().era(), mcp::Era::legacy);
    EXPECT_TRUE(link->negotiated().has_session_id);
    const auto result = run(tool_call("test_simple_text"));

    ASSERT_TRUE(result) << text_of(result);
    EXPECT_FALSE(result->is_error()) << text_of(result);
}

TEST_F(HttpLinkTest, WorksWithAServerOfTheOldTransport) {
    serve({"--era", "legacy"}, "--sse");

    const auto result = run(tool_call("test_simple_text"));

    ASSERT_TRUE(result) << text_of(result);
    EXPECT_FALSE(result->is_error()) << text_of(result);
}

TEST_F(HttpLinkTest, ReceivesProgressInBothEras) {
    for (const char* era : {"legacy", "modern"}) {
        serve({"--era", era});
        ear->notifications.clear();

        const auto result = run(tool_call("test_tool_with_progress"));

        ASSERT_TRUE(result) << text_of(result);
        EXPECT_EQ(ear->notifications.size(), 3U) << era;
        EXPECT_TRUE(loop.run(closed(link)));
    }
}

TEST_F(HttpLinkTest, ReceivesQuestionsOfALegacyServer) {
    serve({"--era", "legacy"});

    const auto result = run(tool_call("test_elicitation", R"({"message":"m"})"));

    ASSERT_TRUE(result) << text_of(result);
    EXPECT_FALSE(result->is_error()) << text_of(result);
    EXPECT_EQ(ear->questions, std::vector<std::string>{"elicitation/create"});
    EXPECT_NE(text_of(result).find("accept"), std::string::npos) << text_of(result);
}

TEST_F(HttpLinkTest, ResumesAReplyThatTheServerBreaksOff) {
    serve({"--era", "legacy"});

    const auto result = run(tool_call("test_reconnection"));

    ASSERT_TRUE(result) << text_of(result);
    EXPECT_FALSE(result->is_error()) << text_of(result);
}

TEST_F(HttpLinkTest, ReceivesListChangesInBothEras) {
    for (const char* era : {"legacy", "modern"}) {
        serve({"--era", era});
        owner->methods.clear();
        link->set_interests({});
        // The stream may open shortly after the link; until then notifications would be lost.
        const bool has_changed = loop.run_until([&] {
            EXPECT_TRUE(run(tool_call("test_trigger_tool_change")));
            return !owner->methods.empty();
        });

        EXPECT_TRUE(has_changed) << era;
        EXPECT_TRUE(loop.run(closed(link)));
    }
}

TEST_F(HttpLinkTest, NotifiesTheServerOfACancelledCall) {
    for (const char* era : {"legacy", "modern"}) {
        serve({"--era", era});
        const auto hanging = loop.start(link->call(loop.loop(), tool_call("hang"), nullptr));
        ASSERT_TRUE(run(tool_call("echo", R"({"text":"x"})")));

        hanging->cancel.emit(boost::asio::cancellation_type::terminal);
        const auto result = loop.finish(hanging);

        EXPECT_EQ(result.error().kind, CallFault::Kind::cancelled);
        EXPECT_TRUE(loop.run_until([&] {
            return text_of(run(tool_call("cancel_count"))).find(R"("text":"1")") !=
                   std::string::npos;
        })) << era;
        EXPECT_TRUE(loop.run(closed(link)));
    }
}

TEST_F(HttpLinkTest, CannotOpenWithoutAServer) {
    std::string url;
    {
        const test::FixtureProcess gone{"--http", {}};
        url = gone.url();
    }
    auto made = make_http_opener({.url = *net::parsed_url(url)}, {});
    ASSERT_TRUE(made);
    opener = std::move(*made);

    const auto opened = loop.run(opener->open(loop.loop(), {}, owner, loop.within(10s)));

    ASSERT_FALSE(opened);
    EXPECT_EQ(opened.error().kind, CallFault::Kind::not_connected);
}

}  // namespace
}  // namespace holdfast::downstream
