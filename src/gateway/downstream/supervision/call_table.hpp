#pragma once

#include <atomic>
#include <boost/unordered/unordered_flat_map.hpp>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>

#include "downstream/call_listener.hpp"
#include "downstream/request.hpp"
#include "downstream/supervision/call_choice.hpp"
#include "net/loop.hpp"
#include "net/per_loop.hpp"

namespace holdfast::downstream {

/// The calls in flight on a link. It counts all calls and knows the ones that accept questions: a
/// question on a session's own stream does not say which call it is about. Each loop keeps a list
/// of its own calls, so entering and leaving take no lock; a question asks all loops.
///
/// Thread-safety: any thread, except where a function names a loop. Listeners are called on the
/// loop of their call.
class CallTable final : public std::enable_shared_from_this<CallTable> {
public:
    /// A call that accepts messages from the session's own stream.
    struct Entry {
        std::shared_ptr<CallListener> listener = {};
        std::shared_ptr<const AgentIdentity> agent = {};
        std::size_t open_questions = 0;  ///< That its agent has not answered yet.
    };

    /// What one loop knows.
    struct LoopCalls {
        boost::unordered_flat_map<std::uint64_t, Entry> listening = {};
        RecentEnds ended = {};
    };

    /// Removes its call from the table when destroyed, on the caller's loop.
    class Ticket final {
    public:
        explicit Ticket(std::shared_ptr<CallTable> table) : table_(std::move(table)) {}
        Ticket(Ticket&&) noexcept = default;
        Ticket& operator=(Ticket&&) = delete;
        ~Ticket();

        /// From now on messages of the session's own stream may be about the call. Must be called
        /// on that loop, once. `id` is the call's own, and its progress token.
        void listen(const net::OwningLoop& loop, std::uint64_t id, Entry entry);
        /// The call has ended now. Without this its end is not remembered.
        void end(resilience::TimePoint now);

    private:
        std::shared_ptr<CallTable> table_;
        LoopCalls* calls_ = nullptr;  // of the loop; null for a call that does not listen
        std::uint64_t id_ = 0;
    };

    explicit CallTable(std::size_t max_calls) : max_calls_(max_calls) {}

    /// Counts a call; returns nothing if the table is full.
    [[nodiscard]] std::optional<Ticket> try_enter();

    /// Finds the call that a message without a call id is about. `then` is called on the home loop,
    /// perhaps within this call.
    void choose(const net::OwningLoop& home, UnnamedMessage what,
                std::function<void(const ChosenCall&)> then);
    /// Passes a question to a call, unless the call has ended by then. The call counts as waiting
    /// for its agent until the question is answered.
    void ask(const CallCandidate& call, Question question);
    /// Passes a notification to a call, unless the call has ended by then.
    void tell(const CallCandidate& call, Notification notification);
    /// Wraps a question of a call, so that the call counts as waiting until it is answered. Must be
    /// called on the loop of the call.
    [[nodiscard]] Question counted(const net::OwningLoop& loop, std::uint64_t id,
                                   Question question);
    /// Notifies the call with this progress token, if it is in flight.
    void notify(std::uint64_t token, const Notification& notification);

private:
    struct Search;
    class Waiting;

    static CallChoice choice_of(const net::OwningLoop& loop, const LoopCalls& calls,
                                UnnamedMessage what);
    void on_answered(const net::OwningLoop& loop, std::uint64_t id);

    const std::size_t max_calls_;
    // Guards nothing but itself, so no order is needed.
    std::atomic<std::size_t> count_ = 0;
    net::PerLoop<LoopCalls> calls_;
};

}  // namespace holdfast::downstream
