#include <gtest/gtest.h>

#include "downstream/supervision/reconnect_machine.hpp"
#include "support/seeds.hpp"

namespace holdfast::downstream {
namespace {

using namespace std::chrono_literals;
using resilience::Duration;
using resilience::TimePoint;

constexpr TimePoint kStart{1h};

ReconnectOptions plain_options() {
    return {
        .backoff = {.base = 1s, .multiplier = 2.0, .cap = 8s, .jitter = resilience::Jitter::none},
        .sustained_uptime = 30s,
        .max_retry_after = 60s};
}

enum class Event { start, opened, refused, lost_soon, lost_late, time, stop };

ReconnectMachine machine_in(LinkState state) {
    ReconnectMachine machine{plain_options(), 1};
    if (state == LinkState::idle) {
        return machine;
    }
    machine.on_start();
    if (state == LinkState::ready) {
        EXPECT_TRUE(machine.on_opened(kStart));
    } else if (state == LinkState::waiting) {
        machine.on_refused(kStart, std::nullopt);
    } else if (state == LinkState::stopped) {
        machine.on_stop();
    }
    return machine;
}

void apply(ReconnectMachine& machine, Event event) {
    switch (event) {
        case Event::start:
            machine.on_start();
            return;
        case Event::opened:
            std::ignore = machine.on_opened(kStart + 1s);
            return;
        case Event::refused:
            machine.on_refused(kStart + 1s, std::nullopt);
            return;
        case Event::lost_soon:
            machine.on_lost(kStart + 30s - 1ns, Loss::session, true);
            return;
        case Event::lost_late:
            machine.on_lost(kStart + 30s, Loss::session, true);
            return;
        case Event::time:
            machine.on_time(kStart + 1h, true);
            return;
        case Event::stop:
            machine.on_stop();
            return;
    }
}

TEST(ReconnectMachineTest, ADeniedCredentialIsTriedEverMoreRarely) {
    ReconnectMachine machine{plain_options(), 1};
    machine.on_start();
    TimePoint now = kStart;
    int tries = 0;

    while (now < kStart + 24h) {
        machine.on_denied(now, std::nullopt);
        ++tries;
        now = machine.wake_at();
        EXPECT_TRUE(machine.on_time(now, false));
    }

    EXPECT_LE(tries, 24 * 6 + 10);
    machine.on_denied(now, std::nullopt);
    EXPECT_EQ(machine.wake_at(), now + 10min);
}

TEST(ReconnectMachineTest, ADeniedCredentialIsTriedAgainSoonAtFirst) {
    ReconnectMachine machine{plain_options(), 1};
    machine.on_start();

    for (const Duration delay : {1s, 2s, 4s, 8s, 16s, 32s}) {
        machine.on_denied(kStart, std::nullopt);
        EXPECT_EQ(machine.wake_at(), kStart + delay);
        EXPECT_TRUE(machine.on_time(kStart + delay, false));
    }
    machine.on_denied(kStart, 2min);
    EXPECT_EQ(machine.wake_at(), kStart + 1min + 4s);  // plain_options limits it to 60 s
}

TEST(ReconnectMachineTest, AnotherRefusalOrASuccessEndsTheDenial) {
    ReconnectMachine machine{plain_options(), 1};
    machine.on_start();
    for (int denied = 0; denied < 6; ++denied) {
        machine.on_denied(kStart, std::nullopt);
        EXPECT_TRUE(machine.on_time(kStart + 1h, false));
    }

    machine.on_refused(kStart, std::nullopt);
    EXPECT_EQ(machine.wake_at(), kStart + 8s);
    EXPECT_TRUE(machine.on_time(kStart + 8s, false));
    machine.on_denied(kStart, std::nullopt);
    EXPECT_EQ(machine.wake_at(), kStart + 8s);
}

TEST(ReconnectMachineTest, FollowsTheTableOfTransitions) {
    using enum LinkState;
    struct Row {
        LinkState from;
        Event event;
        LinkState to;
    };
    constexpr std::array kRows{
        Row{idle, Event::start, connecting},      Row{idle, Event::time, idle},
        Row{idle, Event::stop, stopped},          Row{connecting, Event::start, connecting},
        Row{connecting, Event::opened, ready},    Row{connecting, Event::refused, waiting},
        Row{connecting, Event::time, connecting}, Row{connecting, Event::stop, stopped},
        Row{ready, Event::start, ready},          Row{ready, Event::lost_soon, waiting},
        Row{ready, Event::lost_late, connecting}, Row{ready, Event::time, ready},
        Row{ready, Event::stop, stopped},         Row{waiting, Event::start, waiting},
        Row{waiting, Event::time, connecting},    Row{waiting, Event::stop, stopped},
        Row{stopped, Event::start, stopped},      Row{stopped, Event::opened, stopped},
        Row{stopped, Event::refused, stopped},    Row{stopped, Event::lost_soon, stopped},
        Row{stopped, Event::lost_late, stopped},  Row{stopped, Event::time, stopped},
        Row{stopped, Event::stop, stopped}};

    for (const Row& row : kRows) {
        ReconnectMachine machine = machine_in(row.from);
        ASSERT_EQ(machine.state(), row.from);

        apply(machine, row.event);

        EXPECT_EQ(machine.state(), row.to)
            << "from " << static_cast<int>(row.from) << " by " << static_cast<int>(row.event);
    }
}

TEST(ReconnectMachineTest, DialsAtOnceWhenTheDownstreamAnnouncesItself) {
    for (const LinkState from : {LinkState::idle, LinkState::waiting}) {
        ReconnectMachine machine = machine_in(from);

        EXPECT_TRUE(machine.on_available());

        EXPECT_EQ(machine.state(), LinkState::connecting);
    }
    ReconnectMachine stopped = machine_in(LinkState::stopped);
    EXPECT_FALSE(stopped.on_available());
    EXPECT_EQ(stopped.state(), LinkState::stopped);
}

TEST(ReconnectMachineTest, DialsAgainAfterAnAnnouncementDuringAnAttempt) {
    ReconnectMachine machine = machine_in(LinkState::connecting);

    EXPECT_FALSE(machine.on_available());
    machine.on_refused(kStart, std::nullopt);

    EXPECT_EQ(machine.state(), LinkState::connecting);
    machine.on_refused(kStart, std::nullopt);
    EXPECT_EQ(machine.state(), LinkState::waiting) << "one announcement causes one attempt";
}

TEST(ReconnectMachineTest, WaitsForAPeerWithoutDialling) {
    ReconnectOptions options = plain_options();
    options.waits_for_peer = true;
    ReconnectMachine machine{options, 1};
    machine.on_start();

    machine.on_refused(kStart, 5s);

    EXPECT_EQ(machine.state(), LinkState::waiting);
    EXPECT_EQ(machine.next_attempt_at(), std::nullopt);
    EXPECT_EQ(machine.wake_at(), TimePoint::max());
    EXPECT_TRUE(machine.on_available());
    EXPECT_TRUE(machine.on_opened(kStart));
    machine.on_lost(kStart + 1s, Loss::session, true);
    EXPECT_EQ(machine.state(), LinkState::connecting) << "an earlier announcement counts";
}

TEST(ReconnectMachineTest, WaitsLongerAfterEachRefusal) {
    ReconnectMachine machine{plain_options(), 1};
    machine.on_start();
    TimePoint now = kStart;
    std::vector<Duration> waits;

    for (int round = 0; round < 5; ++round) {
        machine.on_refused(now, std::nullopt);
        waits.push_back(*machine.next_attempt_at() - now);
        now = machine.wake_at();
        machine.on_time(now, false);
    }

    EXPECT_EQ(waits, (std::vector<Duration>{1s, 2s, 4s, 8s, 8s}));
    EXPECT_EQ(machine.failures_in_row(), 5U);
}

TEST(ReconnectMachineTest, DoesNotTryBeforeItsTime) {
    ReconnectMachine machine = machine_in(LinkState::waiting);

    machine.on_time(machine.wake_at() - 1ns, false);

    EXPECT_EQ(machine.state(), LinkState::waiting);
}

TEST(ReconnectMachineTest, CheckingAnUnprovedLinkChangesNothing) {
    ReconnectMachine machine = machine_in(LinkState::waiting);
    EXPECT_TRUE(machine.on_time(machine.wake_at(), false));
    ASSERT_TRUE(machine.on_opened(kStart + 1h));

    const TimePoint look = machine.wake_at();
    EXPECT_FALSE(machine.on_time(look, false));
    EXPECT_GT(machine.wake_at(), look);
    EXPECT_TRUE(machine.on_time(machine.wake_at(), true));
    EXPECT_EQ(machine.wake_at(), TimePoint::max());
}

/// Returns the delays of a downstream that is lost repeatedly, each time after this lifetime.
std::vector<Duration> delays_after_lives(Duration life, bool has_answered, int count) {
    ReconnectMachine machine{plain_options(), 1};
    machine.on_start();
    TimePoint now = kStart;
    std::vector<Duration> delays;
    for (int round = 0; round < count; ++round) {
        EXPECT_TRUE(machine.on_opened(now));
        now += life;
        machine.on_lost(now, Loss::connection, has_answered);
        delays.push_back(*machine.next_attempt_at() - now);
        now = machine.wake_at();
        machine.on_time(now, false);
    }
    return delays;
}

TEST(ReconnectMachineTest, DampsADownstreamThatConnectsAndDies) {
    EXPECT_EQ(delays_after_lives(1s - 1ns, true, 4), (std::vector<Duration>{1s, 2s, 4s, 8s}));
}

TEST(ReconnectMachineTest, DampsADownstreamThatLivesButAnswersNothing) {
    EXPECT_EQ(delays_after_lives(1h, false, 4), (std::vector<Duration>{1s, 2s, 4s, 8s}));
}

TEST(ReconnectMachineTest, StartsFromTheFirstDelayAfterALinkThatAnsweredAndOutlivedTheLastDelay) {
    EXPECT_EQ(delays_after_lives(1s, true, 4), (std::vector<Duration>{1s, 1s, 1s, 1s}));
}

TEST(ReconnectMachineTest, ResetsFailuresOnceALinkHasAnsweredAndOutlivedTheLastDelay) {
    ReconnectMachine machine = machine_in(LinkState::waiting);
    machine.on_time(kStart + 1s, false);
    ASSERT_TRUE(machine.on_opened(kStart + 1s));
    EXPECT_EQ(machine.failures_in_row(), 1U);
    EXPECT_EQ(machine.wake_at(), kStart + 2s);

    machine.on_time(kStart + 2s, false);
    EXPECT_EQ(machine.failures_in_row(), 1U) << "the link has not answered";
    machine.on_time(machine.wake_at(), true);

    EXPECT_EQ(machine.failures_in_row(), 0U);
    EXPECT_EQ(machine.wake_at(), TimePoint::max());
}

TEST(ReconnectMachineTest, CountsFailedDialsAndNotTheLossItself) {
    ReconnectMachine machine = machine_in(LinkState::ready);
    EXPECT_FALSE(machine.is_down());

    machine.on_lost(kStart + 1s, Loss::connection, true);
    EXPECT_TRUE(machine.is_down());
    EXPECT_EQ(machine.failed_dials(), 0U);
    machine.on_time(machine.wake_at(), false);
    machine.on_refused(kStart + 2s, std::nullopt);
    EXPECT_EQ(machine.failed_dials(), 1U);
    machine.on_time(machine.wake_at(), false);
    ASSERT_TRUE(machine.on_opened(kStart + 10s));

    EXPECT_EQ(machine.failed_dials(), 0U);
    EXPECT_FALSE(machine.is_down());
}

TEST(ReconnectMachineTest, IsNotDownDuringTheFirstDialASessionRenewalOrARestart) {
    EXPECT_FALSE(machine_in(LinkState::connecting).is_down());
    ReconnectMachine renewed = machine_in(LinkState::ready);
    renewed.on_lost(kStart + 30s, Loss::session, true);
    EXPECT_FALSE(renewed.is_down());
    ReconnectMachine restarted = machine_in(LinkState::waiting);
    EXPECT_TRUE(restarted.is_down());
    EXPECT_TRUE(restarted.on_restart());
    EXPECT_FALSE(restarted.is_down());
}

TEST(ReconnectMachineTest, HonoursARequestedRetryTimeUpToALimit) {
    ReconnectMachine machine{plain_options(), 1};
    machine.on_start();
    machine.on_refused(kStart, 20s);
    EXPECT_EQ(machine.next_attempt_at(), kStart + 20s);
    machine.on_time(kStart + 20s, false);

    machine.on_refused(kStart + 20s, 1h);

    EXPECT_EQ(machine.next_attempt_at(), kStart + 80s);
}

TEST(ReconnectMachineTest, RejectsALinkThatOpensAfterTheStop) {
    ReconnectMachine machine = machine_in(LinkState::stopped);

    EXPECT_FALSE(machine.on_opened(kStart));
}

TEST(ReconnectMachineTest, StaysWithinItsBoundsForRandomEvents) {
    resilience::testing::for_each_seed(300, [](std::mt19937_64& random) {
        ReconnectOptions options = plain_options();
        options.backoff.jitter = resilience::Jitter::proportional;
        ReconnectMachine machine{options, random()};
        machine.on_start();
        TimePoint now = kStart;
        for (int step = 0; step < 200; ++step) {
            const std::uint32_t failures = machine.failures_in_row();
            if (machine.state() == LinkState::connecting) {
                if (resilience::testing::chance(random, 0.5)) {
                    ASSERT_TRUE(machine.on_opened(now));
                } else {
                    machine.on_refused(now, std::nullopt);
                }
            } else if (machine.state() == LinkState::ready) {
                now += std::chrono::seconds{resilience::testing::random_between(random, 0, 60)};
                const bool has_answered = resilience::testing::chance(random, 0.5);
                machine.on_time(now, has_answered);
                machine.on_lost(now, Loss::session, has_answered);
            } else {
                ASSERT_EQ(machine.state(), LinkState::waiting);
                const Duration wait = *machine.next_attempt_at() - now;
                ASSERT_GT(wait, Duration::zero());
                ASSERT_LE(wait, options.backoff.cap);
                ASSERT_GE(failures, 1U);
                now = machine.wake_at();
                machine.on_time(now, false);
                ASSERT_EQ(machine.state(), LinkState::connecting);
            }
        }
    });
}

}  // namespace
}  // namespace holdfast::downstream
