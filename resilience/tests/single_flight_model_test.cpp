#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "holdfast/resilience/single_flight.hpp"
#include "support/recording_waker.hpp"
#include "support/seeds.hpp"

namespace holdfast::resilience {
namespace {

using testing::chance;
using testing::for_each_seed;
using testing::random_between;
using testing::RecordingWaker;

using Flights = SingleFlight<int, int>;
using Tickets = std::map<WaiterId, Flights::Ticket>;

/// All holders of a ticket by id, which is also the order of arrival.
class NaiveFlights {
public:
    explicit NaiveFlights(const SingleFlightOptions& options) : options_(options) {}

    bool join(int key, WaiterId id) {
        std::set<int> keys;
        std::size_t same_key = 0;
        for (const auto& [other, member] : members_) {
            if (!member.value) {
                keys.insert(member.key);
                same_key += member.key == key ? 1U : 0U;
            }
        }
        if (same_key > 0 ? same_key == options_.max_followers + 1
                         : keys.size() == options_.max_keys) {
            return false;
        }
        members_[id] = {key, std::nullopt};
        return true;
    }
    void finish(WaiterId leader, int value) {
        const int key = members_[leader].key;
        for (auto& [id, member] : members_) {
            if (member.key == key && !member.value) {
                member.value = value;
                if (id != leader) {
                    woken.push_back(id);
                }
            }
        }
    }
    void leave(WaiterId id) {
        const bool led = is_leader(id);
        const int key = members_[id].key;
        members_.erase(id);
        if (led) {
            if (const auto next = leader_of(key)) {
                woken.push_back(*next);
            }
        }
    }
    [[nodiscard]] bool is_leader(WaiterId id) {
        return !members_[id].value && leader_of(members_[id].key) == id;
    }
    [[nodiscard]] std::optional<int> value_of(WaiterId id) { return members_[id].value; }
    [[nodiscard]] std::size_t size() const {
        std::set<int> keys;
        for (const auto& [id, member] : members_) {
            if (!member.value) {
                keys.insert(member.key);
            }
        }
        return keys.size();
    }

    std::vector<WaiterId> woken;

private:
    struct Member {
        int key = 0;
        std::optional<int> value;
    };

    [[nodiscard]] std::optional<WaiterId> leader_of(int key) const {
        for (const auto& [id, member] : members_) {
            if (member.key == key && !member.value) {
                return id;
            }
        }
        return std::nullopt;
    }

    SingleFlightOptions options_;
    std::map<WaiterId, Member> members_;
};

Tickets::iterator any_of(Tickets& tickets, std::mt19937_64& generator) {
    const auto steps = random_between<std::ptrdiff_t>(generator, 0, std::ssize(tickets) - 1);
    return std::next(tickets.begin(), steps);
}

TEST(SingleFlightModelTest, AgreesWithTheModelAtEveryStep) {
    for_each_seed(2'000, [](std::mt19937_64& generator) {
        const SingleFlightOptions options{
            .max_keys = random_between<std::size_t>(generator, 1, 3),
            .max_followers = random_between<std::size_t>(generator, 1, 4)};
        RecordingWaker waker;
        Flights flights{waker, options};
        NaiveFlights model{options};
        Tickets tickets;
        for (WaiterId step = 1; step <= 60; ++step) {
            if (tickets.empty() || chance(generator, 0.5)) {
                const int key = random_between(generator, 1, 4);
                auto joined = flights.join(key, step);
                ASSERT_EQ(joined.has_value(), model.join(key, step));
                if (joined) {
                    tickets.emplace(step, std::move(joined).value());
                }
            } else {
                const auto chosen = any_of(tickets, generator);
                if (chosen->second.is_leader() && chance(generator, 0.5)) {
                    const int value = random_between(generator, 1, 1'000);
                    chosen->second.finish(value);
                    model.finish(chosen->first, value);
                } else {
                    model.leave(chosen->first);
                    tickets.erase(chosen);
                }
            }

            ASSERT_EQ(waker.woken, model.woken);
            ASSERT_EQ(flights.size(), model.size());
            for (const auto& [id, ticket] : tickets) {
                ASSERT_EQ(ticket.is_leader(), model.is_leader(id));
                const int* value = ticket.value();
                ASSERT_EQ(value != nullptr ? std::optional{*value} : std::nullopt,
                          model.value_of(id));
            }
        }
        tickets.clear();
        ASSERT_EQ(flights.size(), 0U);
    });
}

/// Runs the test's reaction inside the call.
class ReactingWaker final : public Waker {
public:
    void wake(WaiterId waiter) override {
        woken.push_back(waiter);
        if (react) {
            react(waiter);
        }
    }

    std::function<void(WaiterId)> react;
    std::vector<WaiterId> woken;
};

class SingleFlightReentrancyTest : public ::testing::Test {
protected:
    void TearDown() override { waker_.react = nullptr; }

    void join(WaiterId first, WaiterId last) {
        for (WaiterId id = first; id <= last; ++id) {
            tickets_.emplace(id, flights_.join(1, id).value());
        }
    }
    /// Removes the ticket before it leaves, so that what it causes sees a consistent map.
    void drop(WaiterId id) { tickets_.extract(id); }

    ReactingWaker waker_;
    Flights flights_{waker_};
    Tickets tickets_;
};

TEST_F(SingleFlightReentrancyTest, AFollowerMayLeaveInsideTheWake) {
    join(1, 4);
    waker_.react = [this](WaiterId id) { drop(id); };

    tickets_.at(1).finish(5);

    EXPECT_EQ(waker_.woken, (std::vector<WaiterId>{2, 3, 4}));
    EXPECT_EQ(tickets_.size(), 1U);
}

TEST_F(SingleFlightReentrancyTest, AFollowerMayDropTheNextOne) {
    join(1, 6);
    waker_.react = [this](WaiterId id) {
        drop(id);
        drop(id + 1);
    };

    tickets_.at(1).finish(5);

    EXPECT_EQ(waker_.woken, (std::vector<WaiterId>{2, 4, 6}));
    EXPECT_EQ(tickets_.size(), 1U);
}

TEST_F(SingleFlightReentrancyTest, AllMayLeaveInsideTheFirstWake) {
    join(1, 4);
    waker_.react = [this](WaiterId) { Tickets{}.swap(tickets_); };

    tickets_.at(1).finish(5);

    EXPECT_EQ(waker_.woken, (std::vector<WaiterId>{2}));
    EXPECT_EQ(flights_.size(), 0U);
}

TEST_F(SingleFlightReentrancyTest, ANewFlightMayStartInsideTheWake) {
    join(1, 3);
    waker_.react = [this](WaiterId id) {
        if (id == 2) {
            join(9, 9);
        }
    };

    tickets_.at(1).finish(5);

    EXPECT_EQ(waker_.woken, (std::vector<WaiterId>{2, 3}));
    EXPECT_TRUE(tickets_.at(9).is_leader());
}

TEST_F(SingleFlightReentrancyTest, LeadersMayGiveUpOneAfterTheOther) {
    join(1, 5);
    waker_.react = [this](WaiterId id) { drop(id); };

    drop(1);

    EXPECT_EQ(waker_.woken, (std::vector<WaiterId>{2, 3, 4, 5}));
    EXPECT_TRUE(tickets_.empty());
    EXPECT_EQ(flights_.size(), 0U);
}

TEST_F(SingleFlightReentrancyTest, AFollowerMayFinishAsSoonAsItLeads) {
    join(1, 4);
    waker_.react = [this](WaiterId id) {
        if (id == 2) {
            tickets_.at(id).finish(8);
        }
    };

    drop(1);

    EXPECT_EQ(waker_.woken, (std::vector<WaiterId>{2, 3, 4}));
    EXPECT_EQ(*tickets_.at(4).value(), 8);
}

TEST_F(SingleFlightReentrancyTest, ATicketMayBeDestroyedByWhatItsLeavingCauses) {
    join(1, 2);
    waker_.react = [this](WaiterId) { drop(1); };

    tickets_.at(1).leave();

    EXPECT_EQ(tickets_.size(), 1U);
    EXPECT_TRUE(tickets_.at(2).is_leader());
}

}  // namespace
}  // namespace holdfast::resilience
