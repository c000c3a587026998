#include "front/http_port.hpp"

#include <gtest/gtest.h>

#include <boost/asio/post.hpp>
#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "asio/virtual_loop.hpp"
#include "support/gateway/fake_exchange.hpp"

namespace holdfast::front {
namespace {

using test::FakeExchange;
using Log = std::vector<std::string>;
using namespace std::chrono_literals;

class HttpPortTest : public ::testing::Test {
protected:
    [[nodiscard]] std::shared_ptr<FakeExchange> make_exchange() {
        return std::make_shared<FakeExchange>(net::OwningLoop{
            .executor = loop.context.get_executor(), .timekeeper = &loop.timekeeper});
    }
    void make(const HttpPortOptions& options) {
        port = std::make_unique<HttpPort>(exchange, options);
    }
    /// Runs the work as if the loop itself did it.
    template <class Work>
    void on_loop(Work work) {
        boost::asio::post(loop.context, std::move(work));
        loop.settle();
    }

    resilience::testing::VirtualLoop loop;
    std::shared_ptr<FakeExchange> exchange = make_exchange();
    std::unique_ptr<HttpPort> port;
    std::shared_ptr<agents::ReplayLog> log = std::make_shared<agents::ReplayLog>();
};

TEST_F(HttpPortTest, AnswersWithOneTextIfNothingPrecedesTheAnswer) {
    make({});

    port->finish("{}", 400);
    loop.run_for(1h);

    EXPECT_EQ(exchange->log, (Log{"reply 400"}));
    EXPECT_EQ(exchange->body, "{}");
}

TEST_F(HttpPortTest, BecomesAStreamWhenAMessagePrecedesTheAnswer) {
    make({});

    port->send("{1}", net::Importance::droppable);
    port->finish("{2}", 200);
    loop.run_for(1h);

    EXPECT_EQ(exchange->log, (Log{"stream", "data: {1}\n\n", "data: {2}\n\n", "end"}));
}

TEST_F(HttpPortTest, SendsOnlyTheAnswerToAnAgentThatAcceptsNoStream) {
    make({.accepts_stream = false});

    port->send("{1}", net::Importance::must_arrive);
    loop.run_for(1h);
    port->finish("{2}", 200);
    loop.settle();

    EXPECT_FALSE(port->can_ask());
    EXPECT_EQ(exchange->log, (Log{"reply 200"}));
}

TEST_F(HttpPortTest, SendsKeepAlivesDuringALongSilence) {
    make({.keep_alive = 15s});

    loop.run_for(14'999ms);
    EXPECT_TRUE(exchange->log.empty());
    loop.run_for(1ms);
    loop.run_for(15s);
    EXPECT_EQ(exchange->log, (Log{"stream", ":\n\n", ":\n\n"}));

    loop.run_for(10s);
    port->send("{}", net::Importance::droppable);
    loop.run_for(14s);
    EXPECT_EQ(exchange->log.size(), 4U);
    loop.run_for(1s);
    EXPECT_EQ(exchange->log.back(), ":\n\n");
}

TEST_F(HttpPortTest, SendsNothingAfterTheAnswer) {
    make({.ends_with_connection = true});
    port->finish("{}", 200);
    loop.settle();

    port->send("{1}", net::Importance::must_arrive);
    port->finish("{2}", 200);
    port->abandon();
    port->on_gone([] {});
    port.reset();
    loop.run_for(1h);

    EXPECT_EQ(exchange->log, (Log{"reply 200"}));
    EXPECT_FALSE(exchange->gone);
}

TEST_F(HttpPortTest, AcceptsARequestThatWasCancelled) {
    make({});

    port->abandon();
    loop.settle();

    EXPECT_EQ(exchange->log, (Log{"reply 202"}));
}

TEST_F(HttpPortTest, EndsTheStreamOfARequestThatWasCancelled) {
    make({});
    port->send("{1}", net::Importance::droppable);

    port->abandon();
    loop.settle();

    EXPECT_EQ(exchange->log.back(), "end");
}

TEST_F(HttpPortTest, DoesNotAnswerADisconnectedAgent) {
    make({});
    exchange->leave();

    port->abandon();
    loop.settle();

    EXPECT_TRUE(exchange->log.empty());
}

TEST_F(HttpPortTest, IsAbandonedIfDestroyedWithoutAnAnswer) {
    make({});

    port.reset();
    loop.settle();

    EXPECT_EQ(exchange->log, (Log{"reply 202"}));
    EXPECT_FALSE(loop.timekeeper.next());
}

TEST_F(HttpPortTest, ReportsADisconnectOnlyIfItCancelsTheRequest) {
    int disconnects = 0;
    make({.ends_with_connection = true});
    port->on_gone([&disconnects] { ++disconnects; });
    loop.settle();
    exchange->leave();
    EXPECT_EQ(disconnects, 1);

    exchange = make_exchange();
    make({.ends_with_connection = false});
    port->on_gone([&disconnects] { ++disconnects; });
    loop.settle();
    exchange->leave();
    EXPECT_EQ(disconnects, 1);
}

TEST_F(HttpPortTest, KeepsTheOrderOfMessagesOnTheLoop) {
    make({});

    on_loop([this] {
        port->send("{1}", net::Importance::droppable);
        port->finish("{2}", 200);
        EXPECT_EQ(exchange->log.size(), 4U);
    });
}

TEST_F(HttpPortTest, OpensAPrimedStreamWithItsId) {
    make({.log = log, .is_primed = true});

    loop.run_for(249ms);
    EXPECT_TRUE(exchange->log.empty());
    loop.run_for(1ms);
    port->finish("{}", 200);
    loop.settle();

    ASSERT_EQ(exchange->log.size(), 5U);
    EXPECT_EQ(exchange->log[0], "stream");
    EXPECT_NE(exchange->log[1].find("id: 1-0\n"), std::string::npos);
    EXPECT_NE(exchange->log[1].find("retry: 1000\n"), std::string::npos);
    EXPECT_EQ(exchange->log[2], ":\n\n");
    EXPECT_NE(exchange->log[3].find("id: 1-1\n"), std::string::npos);
    EXPECT_NE(exchange->log[3].find("data: {}\n"), std::string::npos);
    EXPECT_EQ(exchange->log[4], "end");
}

TEST_F(HttpPortTest, AnswersAQuickRequestWithoutAStreamEvenIfPrimed) {
    make({.log = log, .is_primed = true});
    loop.run_for(249ms);

    port->finish("{}", 200);
    loop.run_for(1h);

    EXPECT_EQ(exchange->log, (Log{"reply 200"}));
}

TEST_F(HttpPortTest, ResumesAStreamWhoseConnectionBroke) {
    make({.log = log, .is_primed = true});
    port->send("{1}", net::Importance::must_arrive);
    loop.settle();
    exchange->leave();
    port->send("{2}", net::Importance::must_arrive);
    loop.settle();
    const auto again = make_exchange();

    bool is_known = false;
    on_loop([&] { is_known = resume_stream(again, *log, "1-1"); });
    EXPECT_TRUE(is_known);
    port->finish("{3}", 200);
    loop.settle();

    ASSERT_EQ(again->log.size(), 4U);
    EXPECT_EQ(again->log[0], "stream");
    EXPECT_NE(again->log[1].find("{2}"), std::string::npos);
    EXPECT_NE(again->log[2].find("{3}"), std::string::npos);
    EXPECT_EQ(again->log[3], "end");
}

TEST_F(HttpPortTest, ResumesASilentStream) {
    make({.log = log, .is_primed = true});
    loop.run_for(1s);
    const auto again = make_exchange();

    on_loop([&] { EXPECT_TRUE(resume_stream(again, *log, "1-0")); });

    EXPECT_EQ(again->log, (Log{"stream"}));
}

TEST_F(HttpPortTest, ReplaysAStreamThatHasEnded) {
    make({.log = log, .is_primed = true});
    port->send("{1}", net::Importance::must_arrive);
    port->finish("{2}", 200);
    loop.settle();
    const auto again = make_exchange();

    on_loop([&] { EXPECT_TRUE(resume_stream(again, *log, "1-0")); });

    ASSERT_EQ(again->log.size(), 4U);
    EXPECT_EQ(again->log[0], "stream");
    EXPECT_NE(again->log[1].find("{1}"), std::string::npos);
    EXPECT_NE(again->log[2].find("{2}"), std::string::npos);
    EXPECT_EQ(again->log[3], "end");
}

TEST_F(HttpPortTest, EndsAResumedStreamWhoseCallIsCancelled) {
    make({.log = log, .is_primed = true});
    loop.run_for(1s);
    exchange->leave();
    const auto again = make_exchange();
    on_loop([&] { EXPECT_TRUE(resume_stream(again, *log, "1-0")); });

    port->abandon();
    loop.settle();

    EXPECT_EQ(again->log, (Log{"stream", "end"}));
    on_loop([&] { EXPECT_FALSE(resume_stream(make_exchange(), *log, "1-0")); });
}

TEST_F(HttpPortTest, EndsAResumedStreamThatIsResumedElsewhere) {
    make({.log = log, .is_primed = true});
    loop.run_for(1s);
    const auto first = make_exchange();
    const auto second = make_exchange();
    on_loop([&] { EXPECT_TRUE(resume_stream(first, *log, "1-0")); });

    on_loop([&] { EXPECT_TRUE(resume_stream(second, *log, "1-0")); });
    EXPECT_EQ(first->log, (Log{"stream", "end"}));
    EXPECT_EQ(second->log, (Log{"stream"}));
    port->finish("{}", 200);
    loop.settle();

    EXPECT_EQ(first->log.size(), 2U);
    ASSERT_EQ(second->log.size(), 3U);
    EXPECT_NE(second->log[1].find("{}"), std::string::npos);
    EXPECT_EQ(second->log[2], "end");
}

TEST_F(HttpPortTest, SendsNothingAfterTheEndOfAResumedStream) {
    make({.log = log, .is_primed = true});
    port->send("{1}", net::Importance::must_arrive);
    port->send("{2}", net::Importance::must_arrive);
    loop.settle();
    const auto first = make_exchange();
    const auto second = make_exchange();
    // The second event is in flight to the first exchange while the stream moves to the second.
    first->on_sent = [&] { EXPECT_TRUE(resume_stream(second, *log, "1-0")); };

    on_loop([&] { EXPECT_TRUE(resume_stream(first, *log, "1-0")); });

    ASSERT_EQ(first->log.size(), 3U);
    EXPECT_EQ(first->log[0], "stream");
    EXPECT_NE(first->log[1].find("{1}"), std::string::npos);
    EXPECT_EQ(first->log[2], "end");
    ASSERT_EQ(second->log.size(), 3U);
    EXPECT_NE(second->log[1].find("{1}"), std::string::npos);
    EXPECT_NE(second->log[2].find("{2}"), std::string::npos);
}

TEST_F(HttpPortTest, LeavesTheExchangeUnansweredIfTheEventIsUnknown) {
    log = std::make_shared<agents::ReplayLog>(agents::ReplayLimits{.max_events = 1});
    make({.log = log, .is_primed = true});
    port->send("{1}", net::Importance::must_arrive);
    port->send("{2}", net::Importance::must_arrive);
    loop.settle();
    const auto again = make_exchange();

    on_loop([&] { EXPECT_FALSE(resume_stream(again, *log, "1-0")); });
    port->finish("{3}", 200);
    loop.settle();

    EXPECT_TRUE(again->log.empty());
}

TEST_F(HttpPortTest, OpensAStreamForMessagesThatBelongToNoRequest) {
    HttpStreamOutlet outlet{exchange, {}};
    EXPECT_EQ(exchange->log, (Log{"stream"}));

    outlet.send("{1}", net::Importance::droppable);
    loop.run_for(15s);
    outlet.end();
    outlet.send("{2}", net::Importance::droppable);
    loop.settle();

    EXPECT_EQ(exchange->log, (Log{"stream", "data: {1}\n\n", ":\n\n", "end"}));
}

TEST_F(HttpPortTest, AnswersWithOneTextWhenTheSessionHasTooManyStreams) {
    log = std::make_shared<agents::ReplayLog>(agents::ReplayLimits{.max_streams = 1});
    const auto other = log->open().value();
    make({.log = log, .is_primed = true});

    port->send("{progress}", net::Importance::droppable);
    loop.run_for(1min);
    EXPECT_FALSE(port->can_ask());
    log->close(other);
    EXPECT_FALSE(port->can_ask()) << "a question would be withdrawn another way than it was sent";
    port->finish("{answer}", 200);
    loop.run_for(1h);

    EXPECT_EQ(exchange->log, (Log{"reply 200"}));
    EXPECT_EQ(exchange->body, "{answer}");
}

TEST_F(HttpPortTest, GivesItsStreamBackIfItEndsWithoutOne) {
    log = std::make_shared<agents::ReplayLog>(agents::ReplayLimits{.max_streams = 1});
    make({.log = log});
    ASSERT_TRUE(port->can_ask());
    ASSERT_FALSE(log->can_open());

    port->finish("{answer}", 200);
    loop.run_for(1h);

    EXPECT_EQ(exchange->log, (Log{"reply 200"}));
    EXPECT_TRUE(log->can_open());
}

}  // namespace
}  // namespace holdfast::front
