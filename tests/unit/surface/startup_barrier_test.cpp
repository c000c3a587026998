#include "surface/startup_barrier.hpp"

#include <gtest/gtest.h>

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/co_spawn.hpp>
#include <optional>
#include <utility>

#include "asio/virtual_loop.hpp"
#include "net/expect_no_exception.hpp"

namespace holdfast::surface {
namespace {

namespace asio = boost::asio;
using downstream::ListKind;

class StartupBarrierTest : public ::testing::Test {
protected:
    void ask() {
        settling.when_over(
            {.executor = loop.context.get_executor(), .timekeeper = &loop.timekeeper},
            [this] { ++runs; });
        loop.settle();
    }
    net::OwningLoop owning() {
        return {.executor = loop.context.get_executor(), .timekeeper = &loop.timekeeper};
    }
    int runs_by_now() {
        loop.settle();
        return runs;
    }

    resilience::testing::VirtualLoop loop;
    StartupBarrier settling;
    int runs = 0;
};

TEST_F(StartupBarrierTest, IsOverWithoutServers) {
    ask();
    EXPECT_EQ(runs, 1);

    settling.expect({});
    ask();
    EXPECT_EQ(runs, 2);
}

TEST_F(StartupBarrierTest, WaitsForAllServers) {
    settling.expect({"a", "b"});
    ask();
    settling.on_heard("a");
    settling.on_heard("other");
    EXPECT_EQ(runs_by_now(), 0);

    settling.on_heard("b");

    EXPECT_EQ(runs_by_now(), 1);
    settling.on_heard("b");
    EXPECT_EQ(runs_by_now(), 1);
}

TEST_F(StartupBarrierTest, WaitsForAllListsOfAServer) {
    settling.expect({"a"});
    ask();
    settling.expect_lists("a", {ListKind::tools, ListKind::prompts});
    settling.on_listed("a", ListKind::tools);
    settling.on_listed("a", ListKind::tools);
    settling.on_listed("a", ListKind::resources);
    EXPECT_EQ(runs_by_now(), 0);

    settling.on_listed("a", ListKind::prompts);

    EXPECT_EQ(runs_by_now(), 1);
}

TEST_F(StartupBarrierTest, DoesNotWaitForAServerWithoutLists) {
    settling.expect({"a"});
    ask();

    settling.expect_lists("a", {});

    EXPECT_EQ(runs_by_now(), 1);
}

TEST_F(StartupBarrierTest, IsOverWhenTheTimeIsUp) {
    settling.expect({"a", "b"});
    settling.expect_lists("a", {ListKind::tools});
    ask();

    settling.on_time_up();

    EXPECT_EQ(runs_by_now(), 1);
    ask();
    EXPECT_EQ(runs, 2);
    settling.on_listed("a", ListKind::tools);
    EXPECT_EQ(runs_by_now(), 2);
}

TEST_F(StartupBarrierTest, DoesNotWaitForKnownServers) {
    settling.expect({"a"});
    settling.expect_lists("known", {ListKind::tools});
    ask();

    settling.on_heard("a");

    EXPECT_EQ(runs_by_now(), 1);
}

TEST_F(StartupBarrierTest, RunsWorkThatCallsItAgain) {
    settling.expect({"a"});
    settling.when_over({.executor = loop.context.get_executor(), .timekeeper = &loop.timekeeper},
                       [this] { settling.when_over({}, [this] { ++runs; }); });

    settling.on_time_up();

    EXPECT_EQ(runs_by_now(), 1);
}

asio::awaitable<void> note(asio::awaitable<bool> wait, std::optional<bool>& is_over) {
    is_over = co_await std::move(wait);
}

TEST_F(StartupBarrierTest, ResumesACoroutineThatWaitsForIt) {
    settling.expect({"a"});
    std::optional<bool> is_over;
    asio::co_spawn(loop.context, note(settling.wait(owning()), is_over), net::expect_no_exception);
    loop.settle();
    EXPECT_EQ(is_over, std::nullopt);

    settling.on_heard("a");
    loop.settle();

    EXPECT_EQ(is_over, true);
}

TEST_F(StartupBarrierTest, KeepsNoCoroutineWaitingOnceItIsOpen) {
    std::optional<bool> is_over;

    asio::co_spawn(loop.context, note(settling.wait(owning()), is_over), net::expect_no_exception);
    loop.settle();

    EXPECT_EQ(is_over, true);
}

TEST_F(StartupBarrierTest, LetsGoOfACoroutineThatIsCancelled) {
    settling.expect({"a"});
    std::optional<bool> is_over;
    asio::cancellation_signal cancellation;
    asio::co_spawn(loop.context, note(settling.wait(owning()), is_over),
                   asio::bind_cancellation_slot(cancellation.slot(), net::expect_no_exception));
    loop.settle();

    cancellation.emit(asio::cancellation_type::terminal);
    loop.settle();

    EXPECT_EQ(is_over, false);
    settling.on_heard("a");
    loop.settle();
}

}  // namespace
}  // namespace holdfast::surface
