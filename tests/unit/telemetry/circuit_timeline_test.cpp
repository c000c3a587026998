#include "telemetry/circuit_timeline.hpp"

#include <gtest/gtest.h>

namespace holdfast::telemetry {
namespace {

using resilience::CircuitState;

std::string words(const telemetry::CircuitTimeline& timeline, std::int64_t from_ms) {
    std::string text;
    for (const auto& [name, changes] : timeline.since(from_ms)) {
        text += name + ":";
        for (const telemetry::CircuitChange& change : changes) {
            text += " " + std::to_string(change.at_ms) + "=" +
                    std::string{resilience::name_of(change.state)};
        }
        text += "; ";
    }
    return text;
}

telemetry::CircuitChange change(std::int64_t at_ms, CircuitState state, std::uint64_t generation) {
    return {.at_ms = at_ms, .state = state, .generation = generation};
}

TEST(CircuitTimelineTest, KeepsTheChangesOfEachCircuit) {
    telemetry::CircuitTimeline timeline;
    timeline.add("a", change(10, CircuitState::open, 1));
    timeline.add("b", change(15, CircuitState::open, 1));
    timeline.add("a", change(20, CircuitState::half_open, 2));

    EXPECT_EQ(words(timeline, 0), "a: 10=open 20=half_open; b: 15=open; ");
}

TEST(CircuitTimelineTest, BeginsWithTheStateAtTheStartTime) {
    telemetry::CircuitTimeline timeline;
    timeline.add("a", change(10, CircuitState::open, 1));
    timeline.add("a", change(20, CircuitState::half_open, 2));
    timeline.add("a", change(30, CircuitState::closed, 3));

    EXPECT_EQ(words(timeline, 25), "a: 20=half_open 30=closed; ");
    EXPECT_EQ(words(timeline, 99), "a: 30=closed; ");
}

TEST(CircuitTimelineTest, SortsLateChanges) {
    telemetry::CircuitTimeline timeline;
    timeline.add("a", change(10, CircuitState::open, 1));
    timeline.add("a", change(21, CircuitState::closed, 3));
    timeline.add("a", change(22, CircuitState::half_open, 2));

    EXPECT_EQ(words(timeline, 0), "a: 10=open 21=half_open 21=closed; ");
}

TEST(CircuitTimelineTest, ContinuesTheLineOfARecreatedCircuit) {
    telemetry::CircuitTimeline timeline;
    timeline.add("a", change(10, CircuitState::open, 7));
    timeline.add("a", change(600'000, CircuitState::closed, 1));

    EXPECT_EQ(words(timeline, 0), "a: 10=open 600000=closed; ");
}

TEST(CircuitTimelineTest, IsBounded) {
    telemetry::CircuitTimeline timeline{{.max_circuits = 1, .max_changes = 2}};
    timeline.add("a", change(10, CircuitState::open, 1));
    timeline.add("a", change(20, CircuitState::half_open, 2));
    timeline.add("a", change(30, CircuitState::closed, 3));
    timeline.add("b", change(40, CircuitState::open, 1));

    EXPECT_EQ(words(timeline, 0), "a: 20=half_open 30=closed; ");
}

}  // namespace
}  // namespace holdfast::telemetry
