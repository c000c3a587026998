#include "downstream/supervision/call_table.hpp"

#include <algorithm>
#include <boost/asio/post.hpp>
#include <utility>

#include "net/run_on.hpp"

namespace holdfast::downstream {
namespace {

bool are_of_one_session(const AgentIdentity* one, const AgentIdentity* other) {
    return one != nullptr && other != nullptr && one->is_session && other->is_session &&
           one->key == other->key;
}

}  // namespace

/// Collects what each loop knows about a question; belongs to the home loop.
struct CallTable::Search {
    std::size_t loops_left = 0;
    Asked found = NoCall{};
    std::function<void(const Asked&)> then;

    void add(Asked of_loop) {
        found = merged(std::move(found), std::move(of_loop));
        if (--loops_left == 0) {
            then(found);
        }
    }
};

CallTable::Ticket::~Ticket() {
    if (!table_) {
        return;
    }
    if (listening_ != nullptr) {
        listening_->erase(id_);
    }
    table_->count_.fetch_sub(1, std::memory_order_relaxed);
}

void CallTable::Ticket::listen(const net::OwningLoop& loop, std::uint64_t id, Entry entry) {
    listening_ = &table_->listening_.of(loop);
    id_ = id;
    listening_->emplace(id, std::move(entry));
}

std::optional<CallTable::Ticket> CallTable::try_enter() {
    std::size_t count = count_.load(std::memory_order_relaxed);
    do {
        if (count >= max_calls_) {
            return std::nullopt;
        }
    } while (!count_.compare_exchange_weak(count, count + 1, std::memory_order_relaxed));
    return Ticket{shared_from_this()};
}

CallTable::Asked CallTable::asked_of(const net::OwningLoop& loop, const Listening& listening) {
    if (listening.empty()) {
        return NoCall{};
    }
    const auto& [id, first] = *listening.begin();
    const bool is_one_agent =
        listening.size() == 1 ||
        std::ranges::all_of(listening, [agent = first.agent.get()](const auto& item) {
            return are_of_one_session(item.second.agent.get(), agent);
        });
    return is_one_agent ? Asked{AskedCall{.loop = loop, .id = id, .agent = first.agent}}
                        : Asked{ManyCalls{}};
}

CallTable::Asked CallTable::merged(Asked one, Asked other) {
    if (std::holds_alternative<NoCall>(one)) {
        return other;
    }
    if (std::holds_alternative<NoCall>(other)) {
        return one;
    }
    const auto* const call = std::get_if<AskedCall>(&one);
    const auto* const other_call = std::get_if<AskedCall>(&other);
    const bool is_one_agent = call != nullptr && other_call != nullptr &&
                              are_of_one_session(call->agent.get(), other_call->agent.get());
    return is_one_agent ? std::move(one) : Asked{ManyCalls{}};
}

void CallTable::find_asked(const net::OwningLoop& home, std::function<void(const Asked&)> then) {
    const auto search = std::make_shared<Search>();
    search->loops_left = 1;  // this function
    search->then = std::move(then);
    listening_.for_each([&](const net::OwningLoop& loop, Listening& listening) {
        ++search->loops_left;
        net::run_on(loop, [self = shared_from_this(), &listening, loop, home, search] {
            net::run_on(home, [search, found = asked_of(loop, listening)] { search->add(found); });
        });
    });
    search->add(NoCall{});
}

void CallTable::ask(const AskedCall& call, Question question) {
    boost::asio::post(call.loop.executor, [self = shared_from_this(), loop = call.loop,
                                           id = call.id, question = std::move(question)]() mutable {
        Listening& listening = self->listening_.of(loop);
        const auto found = listening.find(id);
        // A dropped question is refused by its destructor.
        if (found != listening.end()) {
            const auto listener = found->second.listener;  // It may end the call.
            listener->on_question(std::move(question));
        }
    });
}

void CallTable::notify(std::uint64_t token, const Notification& notification) {
    listening_.for_each([&](const net::OwningLoop& loop, Listening& listening) {
        boost::asio::post(loop.executor, [self = shared_from_this(), &listening, token,
                                          notification = notification]() mutable {
            const auto found = listening.find(token);
            if (found != listening.end()) {
                const auto listener = found->second.listener;
                listener->on_notification(std::move(notification));
            }
        });
    });
}

}  // namespace holdfast::downstream
