#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <map>
#include <utility>
#include <variant>
#include <vector>

#include "holdfast/resilience/bulkhead.hpp"
#include "support/manual_clock.hpp"
#include "support/recording_waker.hpp"
#include "support/seeds.hpp"

namespace holdfast::resilience {
namespace {

using testing::chance;
using testing::for_each_seed;
using testing::ManualClock;
using testing::random_between;
using testing::RecordingWaker;

/// One list of all callers inside, in order of arrival, searched for every answer.
class NaiveBulkhead {
public:
    enum class Part { waiting, granted, running };

    NaiveBulkhead(std::size_t most, std::size_t most_waiting)
        : most_(most), most_waiting_(most_waiting) {}

    /// What a new caller gets: the alternative of `Bulkhead::Admission`.
    std::size_t enter(WaiterId id) {
        if (count_inside() < most_) {
            everybody_.emplace_back(id, Part::running);
            return 0;
        }
        if (count(Part::waiting) < most_waiting_) {
            everybody_.emplace_back(id, Part::waiting);
            return 1;
        }
        return 2;
    }
    void claim(WaiterId id) { find(id)->second = Part::running; }
    void remove(WaiterId id) {
        everybody_.erase(find(id));
        grant();
    }
    void resize(std::size_t most, std::size_t most_waiting) {
        most_ = most;
        most_waiting_ = most_waiting;
        grant();
    }

    [[nodiscard]] Part part_of(WaiterId id) { return find(id)->second; }
    [[nodiscard]] std::size_t count(Part part) const {
        return static_cast<std::size_t>(
            std::count_if(everybody_.begin(), everybody_.end(),
                          [&](const auto& member) { return member.second == part; }));
    }
    [[nodiscard]] std::size_t count_inside() const {
        return everybody_.size() - count(Part::waiting);
    }
    [[nodiscard]] const std::vector<WaiterId>& woken() const { return woken_; }

private:
    using Member = std::pair<WaiterId, Part>;

    std::vector<Member>::iterator find(WaiterId id) {
        return std::find_if(everybody_.begin(), everybody_.end(),
                            [&](const Member& member) { return member.first == id; });
    }
    void grant() {
        for (Member& member : everybody_) {
            if (member.second == Part::waiting && count_inside() < most_) {
                member.second = Part::granted;
                woken_.push_back(member.first);
            }
        }
    }

    std::size_t most_;
    std::size_t most_waiting_;
    std::vector<Member> everybody_;
    std::vector<WaiterId> woken_;
};

BulkheadOptions some_options(std::mt19937_64& generator) {
    return {.max_in_flight = random_between<std::uint32_t>(generator, 1, 5),
            .max_queue = random_between<std::uint32_t>(generator, 0, 6)};
}

template <class Guard>
typename std::map<WaiterId, Guard>::iterator any_of(std::map<WaiterId, Guard>& guards,
                                                    std::mt19937_64& generator) {
    const auto steps = random_between<std::ptrdiff_t>(generator, 0, std::ssize(guards) - 1);
    return std::next(guards.begin(), steps);
}

/// A bulkhead and its model, driven together.
class Pair {
public:
    explicit Pair(const BulkheadOptions& options)
        : model_(options.max_in_flight, options.max_queue), bulkhead_(options, &waker_) {}

    void enter() {
        const WaiterId id = ++last_id_;
        auto admission = bulkhead_.enter(id, Deadline::never(), clock_.now());
        ASSERT_EQ(admission.index(), model_.enter(id));
        if (auto* slot = std::get_if<Bulkhead::Slot>(&admission)) {
            slots_.emplace(id, std::move(*slot));
        } else if (auto* place = std::get_if<Bulkhead::Place>(&admission)) {
            places_.emplace(id, std::move(*place));
        }
    }
    void leave(std::mt19937_64& generator) {
        if (!slots_.empty()) {
            const auto slot = any_of(slots_, generator);
            model_.remove(slot->first);
            slots_.erase(slot);
        }
    }
    void abandon(std::mt19937_64& generator) {
        if (!places_.empty()) {
            const auto place = any_of(places_, generator);
            model_.remove(place->first);
            places_.erase(place);
        }
    }
    void claim(std::mt19937_64& generator) {
        if (places_.empty()) {
            return;
        }
        const auto place = any_of(places_, generator);
        if (place->second.is_granted()) {
            slots_.emplace(place->first, place->second.claim());
            model_.claim(place->first);
            places_.erase(place);
        }
    }
    void reconfigure(const BulkheadOptions& options) {
        bulkhead_.reconfigure(options);
        model_.resize(options.max_in_flight, options.max_queue);
    }

    void expect_agreement() {
        ASSERT_EQ(bulkhead_.in_flight(), model_.count_inside());
        ASSERT_EQ(bulkhead_.queued(), model_.count(NaiveBulkhead::Part::waiting));
        ASSERT_EQ(waker_.woken, model_.woken());
        for (const auto& [id, place] : places_) {
            ASSERT_EQ(place.is_granted(), model_.part_of(id) == NaiveBulkhead::Part::granted);
        }
        // No lost wake-up: no caller waits while there is a free slot.
        ASSERT_TRUE(bulkhead_.queued() == 0 ||
                    bulkhead_.in_flight() >= bulkhead_.options().max_in_flight);
    }
    void expect_empty() {
        ASSERT_TRUE(slots_.empty());
        ASSERT_TRUE(places_.empty());
        ASSERT_EQ(bulkhead_.in_flight(), 0U);
        ASSERT_EQ(bulkhead_.queued(), 0U);
    }
    [[nodiscard]] const Bulkhead& bulkhead() const { return bulkhead_; }
    [[nodiscard]] bool is_empty() const { return slots_.empty() && places_.empty(); }

private:
    ManualClock clock_;
    RecordingWaker waker_;
    NaiveBulkhead model_;
    Bulkhead bulkhead_;
    std::map<WaiterId, Bulkhead::Slot> slots_;
    std::map<WaiterId, Bulkhead::Place> places_;
    WaiterId last_id_ = 0;
};

TEST(BulkheadModelTest, AgreesWithTheModelAtEveryStep) {
    for_each_seed(2'000, [](std::mt19937_64& generator) {
        Pair pair{some_options(generator)};
        for (int step = 0; step < 60; ++step) {
            switch (random_between(generator, 0, 8)) {
                case 0:
                case 1:
                case 2:
                case 3:
                    pair.enter();
                    break;
                case 4:
                    pair.leave(generator);
                    break;
                case 5:
                    pair.abandon(generator);
                    break;
                case 6:
                case 7:
                    pair.claim(generator);
                    break;
                default:
                    if (chance(generator, 0.3)) {
                        pair.reconfigure(some_options(generator));
                    }
                    break;
            }
            pair.expect_agreement();
        }
        while (!pair.is_empty()) {
            pair.leave(generator);
            pair.abandon(generator);
            pair.expect_agreement();
        }
        pair.expect_empty();
    });
}

TEST(BulkheadModelTest, NeverHoldsMoreThanItsLimits) {
    for_each_seed(1'000, [](std::mt19937_64& generator) {
        const BulkheadOptions options = some_options(generator);
        Pair pair{options};
        for (int step = 0; step < 60; ++step) {
            chance(generator, 0.7)   ? pair.enter()
            : chance(generator, 0.5) ? pair.leave(generator)
                                     : pair.claim(generator);
            ASSERT_LE(pair.bulkhead().in_flight(), options.max_in_flight);
            ASSERT_LE(pair.bulkhead().queued(), options.max_queue);
        }
    });
}

}  // namespace
}  // namespace holdfast::resilience
