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
    const bool has_place = state_.with([&](State& state) {
        if (state.count >= max_calls_) {
            return false;
        }
        ++state.count;
        if (entry) {
            state.listening.push_back(entry);
        }
        return true;
    });
    if (!has_place) {
        return std::nullopt;
    }
    return Ticket{shared_from_this(), std::move(entry)};
}

void CallTable::leave(const std::shared_ptr<Entry>& entry) {
    if (entry) {
        entry->has_ended = true;
    }
    state_.with([&](State& state) {
        --state.count;
        if (entry) {
            std::erase(state.listening, entry);
        }
    });
}

CallTable::Asked CallTable::asked() const {
    return state_.with([](const State& state) -> Asked {
        if (state.listening.empty()) {
            return NoCall{};
        }
        const auto& last = state.listening.back();
        const bool is_one_agent =
            std::ranges::all_of(state.listening, [&](const std::shared_ptr<Entry>& entry) {
                return entry == last || are_of_one_session(*entry, *last);
            });
        return is_one_agent ? Asked{last} : Asked{ManyCalls{}};
    });
}

void CallTable::notify(std::string_view token, Notification notification) const {
    const auto entry = state_.with([&](const State& state) -> std::shared_ptr<Entry> {
        const auto found = std::ranges::find(state.listening, token, &Entry::id);
        return found != state.listening.end() ? *found : nullptr;
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
