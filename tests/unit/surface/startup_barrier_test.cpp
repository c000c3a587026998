#include "surface/startup_barrier.hpp"

#include <gtest/gtest.h>

#include "asio/virtual_loop.hpp"

namespace holdfast::surface {
namespace {

using downstream::ListKind;

class StartupBarrierTest : public ::testing::Test {
protected:
    void ask() {
        settling.when_over(
            {.executor = loop.context.get_executor(), .timekeeper = &loop.timekeeper},
            [this] { ++runs; });
        loop.settle();
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

}  // namespace
}  // namespace holdfast::surface
