#include "downstream/supervision/call_table.hpp"

#include <algorithm>
#include <boost/asio/post.hpp>
#include <utility>

namespace holdfast::downstream {
namespace {

bool are_of_one_session(const CallTable::Entry& one, const CallTable::Entry& other) {
    return one.agent && other.agent && one.agent->is_session && other.agent->is_session &&
           one.agent->key == other.agent->key;
}

}  // namespace

CallTable::Ticket::~Ticket() {
    if (table_) {
        table_->leave(entry_);
    }
}

std::optional<CallTable::Ticket> CallTable::try_enter(std::shared_ptr<Entry> entry) {
    std::size_t count = count_.load(std::memory_order_relaxed);
    do {
        if (count >= max_calls_) {
            return std::nullopt;
        }
    } while (!count_.compare_exchange_weak(count, count + 1, std::memory_order_relaxed));
    if (entry) {
        listening_.with([&](Listening& listening) { listening.push_back(entry); });
    }
    return Ticket{shared_from_this(), std::move(entry)};
}

void CallTable::leave(const std::shared_ptr<Entry>& entry) {
    if (entry) {
        entry->has_ended = true;
        listening_.with([&](Listening& listening) { std::erase(listening, entry); });
    }
    count_.fetch_sub(1, std::memory_order_relaxed);
}

CallTable::Asked CallTable::asked() const {
    return listening_.with([](const Listening& listening) -> Asked {
        if (listening.empty()) {
            return NoCall{};
        }
        const auto& last = listening.back();
        const bool is_one_agent =
            std::ranges::all_of(listening, [&](const std::shared_ptr<Entry>& entry) {
                return entry == last || are_of_one_session(*entry, *last);
            });
        return is_one_agent ? Asked{last} : Asked{ManyCalls{}};
    });
}

void CallTable::notify(std::string_view token, Notification notification) const {
    const auto entry = listening_.with([&](const Listening& listening) -> std::shared_ptr<Entry> {
        const auto found = std::ranges::find(listening, token, &Entry::id);
        return found != listening.end() ? *found : nullptr;
    });
    if (!entry) {
        return;
    }
    boost::asio::post(entry->caller.executor,
                      [entry, notification = std::move(notification)]() mutable {
                          if (!entry->has_ended) {
                              entry->listener->on_notification(std::move(notification));
                          }
                      });
}

void CallTable::ask(const std::shared_ptr<Entry>& entry, Question question) {
    boost::asio::post(entry->caller.executor, [entry, question = std::move(question)]() mutable {
        // A dropped question is refused by its destructor.
        if (!entry->has_ended) {
            entry->listener->on_question(std::move(question));
        }
    });
}

}  // namespace holdfast::downstream
