#include "runtime/logs/event_log.hpp"

#include <chrono>
#include <sstream>
#include <string>

#include <gtest/gtest.h>

namespace holdfast::runtime {
namespace {

using namespace std::chrono_literals;
using resilience::CircuitState;
using resilience::RefusalReason;
using resilience::TransitionCause;

class EventLogTest : public testing::Test {
protected:
    /// The lines since the last look.
    [[nodiscard]] std::string logged() {
        std::string text = out_.str();
        out_.str({});
        return text;
    }

    std::ostringstream out_;
    logging::Log log_{out_, {.format = logging::LogFormat::json}, [] { return 0; }};
    EventLog events_{log_};
};

bool has(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

TEST_F(EventLogTest, LogsTheLifeOfACircuit) {
    events_.on_transition("c", {.from = CircuitState::closed,
                                .to = CircuitState::open,
                                .cause = TransitionCause::consecutive_failures,
                                .consecutive_failures = 5,
                                .open_for = 60s});
    const std::string opened = logged();
    EXPECT_TRUE(has(opened, R"("level":"warn","event":"circuit_opened")")) << opened;
    EXPECT_TRUE(has(opened, R"("circuit":"c","cause":"consecutive_failures","failures":5)"))
        << opened;
    EXPECT_TRUE(has(opened, R"("open_ms":60000)")) << opened;

    events_.on_transition("c", {.from = CircuitState::open, .to = CircuitState::half_open});
    EXPECT_TRUE(has(logged(), R"("level":"info","event":"circuit_half_open")"));
    events_.on_transition(
        "c", {.from = CircuitState::half_open, .to = CircuitState::open, .open_for = 500ms});
    EXPECT_TRUE(has(logged(), R"("level":"warn","event":"circuit_reopened")"));
    events_.on_transition("c", {.from = CircuitState::half_open, .to = CircuitState::closed});
    EXPECT_TRUE(has(logged(), R"("level":"info","event":"circuit_closed")"));
}

TEST_F(EventLogTest, CountsOneFailureInTheSingular) {
    events_.on_transition("c", {.from = CircuitState::closed,
                                .to = CircuitState::open,
                                .cause = TransitionCause::consecutive_failures,
                                .consecutive_failures = 1,
                                .open_for = 60s});

    EXPECT_TRUE(has(logged(), R"(circuit \"c\" opened for 60 s after 1 failure")"));
}

TEST_F(EventLogTest, LogsWhenARejectedCallMayBeRepeated) {
    events_.on_refusal("c", {.reason = RefusalReason::rate_limited, .retry_after = 1'200ms});
    const std::string known = logged();
    EXPECT_TRUE(has(known, R"("reason":"rate_limited","retry_ms":1200)")) << known;
    EXPECT_TRUE(has(known, "(retry in 2 s)")) << known;

    events_.on_refusal("c", {.reason = RefusalReason::queue_full});
    const std::string unknown = logged();
    EXPECT_TRUE(has(unknown, R"("reason":"queue_full"})")) << unknown;
}

TEST_F(EventLogTest, LogsRetriesWithTheirFigures) {
    events_.on_retry("t", {.attempt = 2, .max_attempts = 3, .delay = 454ms});

    EXPECT_TRUE(has(logged(), R"("name":"t","delay_ms":454,"attempt":2,"max_attempts":3)"));
}

TEST_F(EventLogTest, LogsHowManyCircuitsWereRemoved) {
    events_.on_swept(7);

    EXPECT_TRUE(has(logged(), R"("event":"circuits_removed","message":"removed 7 idle circuits")"));
}

}  // namespace
}  // namespace holdfast::runtime
