#include "downstream/supervision/call_table.hpp"

#include <boost/asio/post.hpp>
#include <utility>

#include "net/run_on.hpp"

namespace holdfast::downstream {

/// Collects what each loop knows about a message; belongs to the home loop.
struct CallTable::Search {
    std::size_t loops_left = 0;
    CallChoice choice;
    resilience::Timekeeper* clock = nullptr;
    std::function<void(const ChosenCall&)> then;

    void add(CallChoice of_loop) {
        choice.merge(std::move(of_loop));
        if (--loops_left == 0) {
            then(choice.chosen(clock->now()));
        }
    }
};

/// An unanswered question of a call. Reports its end once, from any thread.
class CallTable::Waiting final {
public:
    Waiting(std::shared_ptr<CallTable> table, net::OwningLoop loop, std::uint64_t id)
        : table_(std::move(table)), loop_(std::move(loop)), id_(id) {}
    Waiting(const Waiting&) = delete;
    Waiting& operator=(const Waiting&) = delete;
    // NOLINTNEXTLINE(bugprone-exception-escape): only when out of memory, which ends the process.
    ~Waiting() { end(); }

    void end() {
        if (!has_ended_.exchange(true)) {
            table_->on_answered(loop_, id_);
        }
    }

private:
    const std::shared_ptr<CallTable> table_;
    const net::OwningLoop loop_;
    const std::uint64_t id_;
    std::atomic<bool> has_ended_ = false;
};

CallTable::Ticket::~Ticket() {
    if (!table_) {
        return;
    }
    if (calls_ != nullptr) {
        calls_->listening.erase(id_);
    }
    table_->count_.fetch_sub(1, std::memory_order_relaxed);
}

void CallTable::Ticket::listen(const net::OwningLoop& loop, std::uint64_t id, Entry entry) {
    calls_ = &table_->calls_.of(loop);
    id_ = id;
    calls_->listening.emplace(id, std::move(entry));
}

void CallTable::Ticket::end(resilience::TimePoint now) {
    if (calls_ == nullptr) {
        return;
    }
    const auto found = calls_->listening.find(id_);
    if (found != calls_->listening.end()) {
        calls_->ended.add(found->second.agent, now);
        calls_->listening.erase(found);
    }
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

CallChoice CallTable::choice_of(const net::OwningLoop& loop, const LoopCalls& calls,
                                UnnamedMessage what) {
    CallChoice choice{what};
    for (const auto& [id, entry] : calls.listening) {
        choice.add(CallCandidate{.id = id,
                                 .agent = entry.agent,
                                 .waits_for_agent = entry.open_questions != 0,
                                 .loop = loop});
    }
    choice.add(calls.ended);
    return choice;
}

void CallTable::choose(const net::OwningLoop& home, UnnamedMessage what,
                       std::function<void(const ChosenCall&)> then) {
    const auto search = std::make_shared<Search>(Search{.loops_left = 1,  // this function
                                                        .choice = CallChoice{what},
                                                        .clock = home.timekeeper,
                                                        .then = std::move(then)});
    calls_.for_each([&](const net::OwningLoop& loop, LoopCalls& calls) {
        ++search->loops_left;
        net::run_on(loop, [self = shared_from_this(), &calls, loop, home, search, what] {
            net::run_on(home, [search, choice = choice_of(loop, calls, what)]() mutable {
                search->add(std::move(choice));
            });
        });
    });
    search->add(CallChoice{what});
}

Question CallTable::counted(const net::OwningLoop& loop, std::uint64_t id, Question question) {
    const auto found = calls_.of(loop).listening.find(id);
    if (found == calls_.of(loop).listening.end()) {
        return question;
    }
    ++found->second.open_questions;
    auto waiting = std::make_shared<Waiting>(shared_from_this(), loop, id);
    question.answer = [waiting = std::move(waiting),
                       answer = std::move(question.answer)](QuestionAnswer given) {
        waiting->end();
        answer(std::move(given));
    };
    return question;
}

void CallTable::on_answered(const net::OwningLoop& loop, std::uint64_t id) {
    boost::asio::post(loop.executor, [self = shared_from_this(), loop, id] {
        auto& listening = self->calls_.of(loop).listening;
        const auto found = listening.find(id);
        if (found != listening.end()) {
            --found->second.open_questions;
        }
    });
}

void CallTable::ask(const CallCandidate& call, Question question) {
    boost::asio::post(call.loop.executor, [self = shared_from_this(), loop = call.loop,
                                           id = call.id, question = std::move(question)]() mutable {
        const auto& listening = self->calls_.of(loop).listening;
        const auto found = listening.find(id);
        // A dropped question is refused by its destructor.
        if (found != listening.end()) {
            const auto listener = found->second.listener;  // It may end the call.
            listener->on_question(self->counted(loop, id, std::move(question)));
        }
    });
}

void CallTable::tell(const CallCandidate& call, Notification notification) {
    boost::asio::post(call.loop.executor,
                      [self = shared_from_this(), loop = call.loop, id = call.id,
                       notification = std::move(notification)]() mutable {
                          const auto& listening = self->calls_.of(loop).listening;
                          const auto found = listening.find(id);
                          if (found != listening.end()) {
                              const auto listener = found->second.listener;
                              listener->on_notification(std::move(notification));
                          }
                      });
}

void CallTable::notify(std::uint64_t token, const Notification& notification) {
    calls_.for_each([&](const net::OwningLoop& loop, LoopCalls& /*calls*/) {
        tell({.id = token, .loop = loop}, notification);
    });
}

}  // namespace holdfast::downstream
