#include <deque>

#include "downstream/start_gate.hpp"
#include "downstream_world.hpp"

// How long a downstream waits for a program that starts.

namespace holdfast::downstream {
namespace {

using namespace std::chrono_literals;
using testing::DownstreamTest;
using testing::OpenPlan;

class DownstreamStartTest : public DownstreamTest {
protected:
    DownstreamStartTest() {
        options.starts_process = true;
        options.connect_wait = 5min;
        options.reconnect = {.base = 10h, .cap = 10h, .jitter = resilience::Jitter::none};
    }

    /// The program needs `takes`, and works until the instant `idle_from`.
    void start_program(resilience::Duration takes, resilience::Duration idle_from) {
        const auto begun = loop.timekeeper.now();
        server->plan = [this, takes, begun, idle_from](const LinkPurpose&) {
            return OpenPlan{.takes = takes, .activity = [this, begun, idle_from] {
                                const auto age = loop.timekeeper.now() - begun;
                                return ProcessActivity{.cpu = std::min(age, idle_from)};
                            }};
        };
        make();
        downstream->start();
        loop.settle();
    }
    [[nodiscard]] LinkState state() const { return downstream->status().state; }
};

TEST_F(DownstreamStartTest, AHungProgramFailsAfterTheTimeout) {
    start_program(1h, 0s);

    loop.run_for(5min - 1s);
    EXPECT_EQ(state(), LinkState::connecting);
    loop.run_for(1s);

    EXPECT_EQ(state(), LinkState::waiting);
    EXPECT_EQ(downstream->status().reason,
              "The server did not finish the handshake within 300 s (\"startTimeout\").");
}

TEST_F(DownstreamStartTest, AProgramThatMakesProgressIsNotInterrupted) {
    start_program(19min, 19min);

    loop.run_for(19min);

    EXPECT_EQ(state(), LinkState::ready);
    EXPECT_EQ(server->opens.size(), 1U);
}

TEST_F(DownstreamStartTest, AProgramThatStopsWorkingFailsAfterItsLastProgress) {
    start_program(1h, 6min);

    loop.run_for(6min + 28s);
    EXPECT_EQ(state(), LinkState::connecting);
    loop.run_for(3s);

    EXPECT_EQ(state(), LinkState::waiting);
}

TEST_F(DownstreamStartTest, NoProgressIsEnoughForMoreThanFourTimeouts) {
    start_program(1h, 1h);

    loop.run_for(20min - 1s);
    EXPECT_EQ(state(), LinkState::connecting);
    loop.run_for(2s);

    EXPECT_EQ(state(), LinkState::waiting);
}

TEST_F(DownstreamStartTest, AProgramThatEndsIsReportedAtOnce) {
    server->plan = [](const LinkPurpose&) {
        return OpenPlan{.takes = 3s, .fault = CallFault{.message = "It exited with code 1."}};
    };
    make();
    downstream->start();

    loop.run_for(3s);

    EXPECT_EQ(state(), LinkState::waiting);
    EXPECT_EQ(downstream->status().reason, "It exited with code 1.");
}

TEST_F(DownstreamStartTest, APauseEndsTheStart) {
    start_program(1h, 1h);

    EXPECT_TRUE(downstream->pause());
    loop.settle();
    EXPECT_EQ(server->opening, 0);

    accept_opens();
    EXPECT_TRUE(downstream->resume());
    loop.settle();
    EXPECT_EQ(state(), LinkState::ready);
}

TEST_F(DownstreamStartTest, ARestartReplacesAStartThatHangs) {
    start_program(1h, 0s);

    accept_opens();
    EXPECT_TRUE(downstream->restart());
    loop.settle();

    EXPECT_EQ(state(), LinkState::ready);
    EXPECT_EQ(server->opens.size(), 2U);
}

TEST_F(DownstreamStartTest, OnlyAProgramGetsAnExtension) {
    options.starts_process = false;
    options.connect_wait = 30s;
    start_program(1h, 1h);

    loop.run_for(30s);

    EXPECT_EQ(state(), LinkState::waiting);
    EXPECT_EQ(downstream->status().reason, "It is silent.");
}

/// Several programs behind one gate for two first starts.
class FirstStartTest : public DownstreamStartTest {
protected:
    FirstStartTest() {
        options.first_start_gate = std::make_shared<StartGate>(
            StartSlotOptions{.parallel_starts = 2, .max_jitter = 0s}, 1);
    }
    ~FirstStartTest() override {
        programs.clear();
        loop.settle();
    }

    struct Program {
        std::shared_ptr<testing::FakeServer> server = std::make_shared<testing::FakeServer>();
        std::shared_ptr<Downstream> downstream = {};

        [[nodiscard]] bool has_begun() const { return !server->opens.empty(); }
    };

    /// `works`: it makes progress until it is ready.
    Program& add(resilience::Duration takes, bool works) {
        Program& program = programs.emplace_back();
        program.server->negotiated.capabilities = "{}";
        program.server->plan = [this, takes, works](const LinkPurpose&) {
            return OpenPlan{.takes = takes, .activity = [this, works] {
                                const auto cpu = loop.timekeeper.now().time_since_epoch();
                                return ProcessActivity{.cpu = works ? cpu : 0s};
                            }};
        };
        program.downstream = Downstream::make(
            home(), std::make_unique<testing::FakeOpener>(program.server), options, watcher);
        return program;
    }
    void start_all() {
        for (const Program& program : programs) {
            program.downstream->start();
        }
        loop.settle();
    }
    [[nodiscard]] std::vector<bool> begun() const {
        std::vector<bool> flags;
        for (const Program& program : programs) {
            flags.push_back(program.has_begun());
        }
        return flags;
    }

    std::deque<Program> programs;
};

TEST_F(FirstStartTest, TwoInstallAtOnceAndAHandshakeFreesASlot) {
    for (const auto takes : {20s, 25s, 30s, 30s}) {
        add(takes, true);
    }
    start_all();
    loop.run_for(19s);
    EXPECT_EQ(begun(), (std::vector{true, true, false, false}));

    loop.run_for(1s);
    EXPECT_EQ(begun(), (std::vector{true, true, true, false}));
    loop.run_for(5s);
    EXPECT_EQ(begun(), (std::vector{true, true, true, true}));
}

TEST_F(FirstStartTest, HungStartsHoldUpTheOthersForTenSecondsOnly) {
    add(1h, false);
    add(1h, false);
    const Program& good = add(2s, true);
    start_all();

    loop.run_for(9s);
    EXPECT_FALSE(good.has_begun());
    loop.run_for(3s);

    EXPECT_EQ(good.downstream->status().state, LinkState::ready);
}

TEST_F(FirstStartTest, AStartThatACallWaitsForComesFirst) {
    for (const auto takes : {20s, 25s, 20s, 20s}) {
        add(takes, true);
    }
    start_all();
    Request request{.method = "tools/call"};
    request.deadline = resilience::Deadline::after(loop.timekeeper.now(), 1min);
    const testing::Running running{home(), *programs[3].downstream, std::move(request)};
    loop.run_for(20s);

    EXPECT_EQ(begun(), (std::vector{true, true, false, true}));
}

TEST_F(FirstStartTest, WaitingForASlotTakesNoTimeOfTheStart) {
    options.connect_wait = 30s;
    add(25s, true);
    add(25s, true);
    const Program& last = add(28s, false);
    start_all();

    loop.run_for(25s + 28s);

    EXPECT_EQ(last.downstream->status().state, LinkState::ready);
    EXPECT_EQ(last.server->opens.size(), 1U);
}

TEST_F(FirstStartTest, LaterStartsOfAServerAreNotHeldBack) {
    const Program& first = add(0s, true);
    start_all();
    ASSERT_EQ(first.downstream->status().state, LinkState::ready);
    add(1h, true);
    add(1h, true);
    programs[1].downstream->start();
    programs[2].downstream->start();
    loop.settle();

    EXPECT_TRUE(programs[0].downstream->restart());
    loop.settle();

    EXPECT_EQ(first.downstream->status().state, LinkState::ready);
    EXPECT_EQ(first.server->opens.size(), 2U);
}

TEST_F(FirstStartTest, AStoppedDownstreamLeavesTheQueue) {
    add(20s, true);
    add(20s, true);
    const Program& third = add(20s, true);
    const Program& fourth = add(20s, true);
    start_all();
    programs[2].downstream->pause();
    loop.run_for(20s);

    EXPECT_FALSE(third.has_begun());
    EXPECT_TRUE(fourth.has_begun());
}

}  // namespace
}  // namespace holdfast::downstream
