#include "net/http/server/connection_slots.hpp"

#include <algorithm>
#include <boost/asio/post.hpp>

namespace holdfast::net {
namespace {

// Passing a connection on is much cheaper than reconnecting, but must not starve the other loops.
constexpr std::size_t kMaxTimesPassedOver = 16;

void wake(std::shared_ptr<SlotRequest> waiter) {
    const auto executor = waiter->loop.executor;
    boost::asio::post(executor, [waiter = std::move(waiter)] { waiter->granted.signal(); });
}

}  // namespace

// NOLINTNEXTLINE(bugprone-exception-escape): only out of memory, which ends the process.
ConnectionSlot& ConnectionSlot::operator=(ConnectionSlot&& other) noexcept {
    if (this != &other) {
        give_back();
        slots_ = std::move(other.slots_);
    }
    return *this;
}

void ConnectionSlot::give_back() {
    if (const auto slots = std::exchange(slots_, nullptr)) {
        slots->give_back();
    }
}

ConnectionSlots::Entry ConnectionSlots::enter(const std::shared_ptr<SlotRequest>& waiter) {
    return table_.with([&](Table& table) {
        if (table.open_count < limits_.open) {
            ++table.open_count;
            return Entry::granted;
        }
        if (table.waiters.size() >= limits_.waiting) {
            return Entry::refused;
        }
        waiter->is_waiting = true;
        table.waiters.push_back(waiter);
        waiting_count_.store(table.waiters.size(), std::memory_order_release);
        return Entry::waiting;
    });
}

bool ConnectionSlots::leave(const SlotRequest& waiter) {
    return table_.with([&](Table& table) {
        if (!waiter.is_waiting) {
            return false;
        }
        const auto slot =
            std::ranges::find(table.waiters, &waiter, [](const auto& each) { return each.get(); });
        std::ignore = take_waiter(table, static_cast<std::size_t>(slot - table.waiters.begin()));
        return true;
    });
}

void ConnectionSlots::give_back() {
    auto next = table_.with([&](Table& table) -> std::shared_ptr<SlotRequest> {
        if (table.waiters.empty()) {
            --table.open_count;
            return nullptr;
        }
        return take_waiter(table, 0);  // the slot stays taken, now by the waiter
    });
    if (next) {
        wake(std::move(next));
    }
}

ConnectionSlots::Claim ConnectionSlots::claim_for(const OwningLoop& loop) {
    return table_.with([&](Table& table) -> Claim {
        if (table.waiters.empty()) {
            return {};
        }
        const auto same_loop = std::ranges::find_if(table.waiters, [&](const auto& each) {
            return each->loop.timekeeper == loop.timekeeper;
        });
        SlotRequest& first = *table.waiters.front();
        if (same_loop == table.waiters.end() || first.times_passed_over >= kMaxTimesPassedOver) {
            return {.is_to_be_closed = true};
        }
        if (same_loop != table.waiters.begin()) {
            ++first.times_passed_over;
        }
        return {.waiter = take_waiter(table,
                                      static_cast<std::size_t>(same_loop - table.waiters.begin()))};
    });
}

std::size_t ConnectionSlots::open_count() {
    return table_.with([](const Table& table) { return table.open_count; });
}

std::shared_ptr<SlotRequest> ConnectionSlots::take_waiter(Table& table, std::size_t index) {
    const auto slot = table.waiters.begin() + static_cast<std::ptrdiff_t>(index);
    std::shared_ptr<SlotRequest> waiter = std::move(*slot);
    waiter->is_waiting = false;
    table.waiters.erase(slot);
    waiting_count_.store(table.waiters.size(), std::memory_order_release);
    return waiter;
}

}  // namespace holdfast::net
