#include "app/event_log.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <sstream>
#include <string>

#include <gtest/gtest.h>

namespace holdfast::app {
namespace {

using namespace std::chrono_literals;
using resilience::CircuitState;

/// A log that goes into a pipe.
class EventLogTest : public testing::Test {
protected:
    ~EventLogTest() override {
        ::close(ends_[0]);
        ::close(ends_[1]);
    }

    void fill_pipe() const {
        const std::string some(4'096, 'x');
        while (::write(ends_[1], some.data(), some.size()) > 0) {
        }
    }
    void empty_pipe() const {
        std::array<char, 4'096> some{};
        while (::read(ends_[0], some.data(), some.size()) > 0) {
        }
    }
    [[nodiscard]] std::string said() {
        std::string text = log_.str();
        log_.str({});
        return text;
    }

    static std::array<int, 2> pipe_ends() {
        std::array<int, 2> ends{-1, -1};
        EXPECT_EQ(::pipe2(ends.data(), O_NONBLOCK | O_CLOEXEC), 0);
        return ends;
    }

    const std::array<int, 2> ends_ = pipe_ends();
    std::ostringstream log_;
    EventLog events_{log_, ends_[1]};
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
}

TEST_F(EventLogTest, LeavesOutWhatNobodyReadsAndSaysHowMuchThatWas) {
    fill_pipe();
    events_.on_swept(1);
    events_.on_swept(2);
    EXPECT_EQ(said(), "");

    empty_pipe();
    events_.on_swept(3);
    EXPECT_EQ(said(),
              "holdfast: 2 lines are left out here: nobody read them\n"
              "holdfast: 3 idle circuits were dropped\n");
    events_.on_swept(4);
    EXPECT_EQ(said(), "holdfast: 4 idle circuits were dropped\n");
}

}  // namespace
}  // namespace holdfast::app
