#include "runtime/logs/event_log.hpp"

#include <chrono>
#include <sstream>
#include <string>

#include <gtest/gtest.h>

namespace holdfast::runtime {
namespace {

using namespace std::chrono_literals;
using resilience::CircuitState;

class EventLogTest : public testing::Test {
protected:
    [[nodiscard]] std::string said() {
        std::string text = log_.str();
        log_.str({});
        return text;
    }

    std::ostringstream log_;
    EventLog events_{log_};
};

TEST_F(EventLogTest, TellsTheLifeOfACircuit) {
    events_.on_transition("c", {.from = CircuitState::closed,
                                .to = CircuitState::open,
                                .consecutive_failures = 5,
                                .open_for = 60s});
    EXPECT_EQ(said(), "holdfast: circuit \"c\" opens after 5 failures in a row, for 60 s\n");
    events_.on_transition("c", {.from = CircuitState::open, .to = CircuitState::half_open});
    EXPECT_EQ(said(), "holdfast: circuit \"c\" is half-open: it lets a test call through\n");
    events_.on_transition(
        "c", {.from = CircuitState::half_open, .to = CircuitState::open, .open_for = 500ms});
    EXPECT_EQ(said(), "holdfast: circuit \"c\" is open again: its test call failed; for 500 ms\n");
    events_.on_transition("c", {.from = CircuitState::half_open, .to = CircuitState::closed});
    EXPECT_EQ(said(), "holdfast: circuit \"c\" is closed\n");
}

TEST_F(EventLogTest, TellsHowManyCircuitsWereSwept) {
    events_.on_swept(7);

    EXPECT_EQ(said(), "holdfast: 7 idle circuits were dropped\n");
    events_.on_swept(1);

    EXPECT_EQ(said(), "holdfast: 1 idle circuit was dropped\n");
}

TEST_F(EventLogTest, CountsOneFailureInTheSingular) {
    events_.on_transition("c", {.from = CircuitState::closed,
                                .to = CircuitState::open,
                                .consecutive_failures = 1,
                                .open_for = 60s});

    EXPECT_EQ(said(), "holdfast: circuit \"c\" opens after 1 failure in a row, for 60 s\n");
}

}  // namespace
}  // namespace holdfast::runtime
