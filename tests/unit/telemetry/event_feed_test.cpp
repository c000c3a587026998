#include "telemetry/event_feed.hpp"

#include <gtest/gtest.h>

namespace holdfast::telemetry {
namespace {

record::Event event(const std::string& subject) {
    return {.subject = subject};
}

std::string words(const std::vector<telemetry::EventFeed::Item>& items) {
    std::string text;
    for (const auto& item : items) {
        text += std::to_string(item->number) + item->event.subject + " ";
    }
    return text;
}

TEST(EventFeedTest, NumbersEventsFromOne) {
    telemetry::EventFeed feed;
    EXPECT_EQ(feed.last(), 0U);

    EXPECT_EQ(feed.add(event("a"))->number, 1U);
    EXPECT_EQ(feed.add(event("b"))->number, 2U);

    EXPECT_EQ(feed.last(), 2U);
    EXPECT_EQ(words(feed.after(0, 10)), "1a 2b ");
}

TEST(EventFeedTest, ReturnsTheOldestEventsAfterANumber) {
    telemetry::EventFeed feed;
    for (const char* subject : {"a", "b", "c", "d"}) {
        feed.add(event(subject));
    }

    EXPECT_EQ(words(feed.after(1, 2)), "2b 3c ");
    EXPECT_EQ(words(feed.after(3, 9)), "4d ");
    EXPECT_EQ(words(feed.after(4, 9)), "");
}

TEST(EventFeedTest, ReturnsAllEventsToAReaderOfAnEarlierRun) {
    telemetry::EventFeed feed;
    for (const char* subject : {"a", "b"}) {
        feed.add(event(subject));
    }

    EXPECT_EQ(words(feed.after(99, 9)), "1a 2b ");
}

TEST(EventFeedTest, DropsTheOldest) {
    telemetry::EventFeed feed{{.max_events = 2}};
    for (const char* subject : {"a", "b", "c"}) {
        feed.add(event(subject));
    }

    EXPECT_EQ(words(feed.after(0, 9)), "2b 3c ");
}

TEST(EventFeedTest, WakesListenersUntilTheyUnsubscribe) {
    telemetry::EventFeed feed;
    int first_count = 0;
    int second_count = 0;
    auto first = feed.subscribe([&] { ++first_count; });
    auto second = feed.subscribe([&] { ++second_count; });

    feed.add(event("a"));
    second.reset();
    feed.add(event("b"));

    EXPECT_EQ(first_count, 2);
    EXPECT_EQ(second_count, 1);
}

TEST(EventFeedTest, AddsTheEventBeforeItWakesListeners) {
    telemetry::EventFeed feed;
    std::uint64_t seen = 0;
    const auto subscription = feed.subscribe([&] { seen = feed.last(); });

    feed.add(event("a"));

    EXPECT_EQ(seen, 1U);
}

TEST(EventFeedTest, LimitsTheNumberOfListeners) {
    telemetry::EventFeed feed{{.max_listeners = 1}};
    auto first = feed.subscribe([] {});
    EXPECT_EQ(feed.subscribe([] {}), nullptr);

    first.reset();

    EXPECT_NE(feed.subscribe([] {}), nullptr);
}

TEST(EventFeedTest, ASubscriptionMayOutliveIt) {
    auto feed = std::make_unique<telemetry::EventFeed>();
    auto subscription = feed->subscribe([] {});

    feed.reset();
    subscription.reset();
}

}  // namespace
}  // namespace holdfast::telemetry
