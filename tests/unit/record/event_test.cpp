#include "record/event.hpp"

#include <gtest/gtest.h>

#include <string>

#include "support/golden.hpp"

namespace holdfast::record {
namespace {

TEST(EventTest, HasANameForEverythingThatHappens) {
    std::string names;
    for (auto what = EventWhat::idle; what <= EventWhat::counters_only;
         what = static_cast<EventWhat>(static_cast<int>(what) + 1)) {
        names.append(text_of(what)).append("\n");
    }

    test::expect_golden("event_names", names);
}

TEST(EventTest, CallsARefusalByItsReason) {
    using resilience::RefusalReason;
    for (auto reason = RefusalReason::circuit_open; reason <= RefusalReason::key_limit_reached;
         reason = static_cast<RefusalReason>(static_cast<int>(reason) + 1)) {
        EXPECT_EQ(text_of(event_what(reason)), resilience::name_of(reason));
    }
}

TEST(EventTest, ShowsTheOutcomeOfAFailedCall) {
    EXPECT_EQ((Event{.kind = EventKind::call, .outcome = "TIMEOUT"}).what_text(), "TIMEOUT");
    EXPECT_EQ((Event{.kind = EventKind::circuit, .what = EventWhat::opened}).what_text(), "opened");
    EXPECT_EQ(Event{}.what_text(), "");
}

}  // namespace
}  // namespace holdfast::record
