#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "downstream/call_listener.hpp"
#include "downstream/request.hpp"
#include "holdfast/resilience/synchronized.hpp"
#include "net/loop.hpp"

namespace holdfast::downstream {

/// The calls in flight on a link. It counts all calls and knows the ones that accept questions: a
/// question on a session's own stream does not say which call it is about. Only those need the
/// lock.
///
/// Thread-safety: any thread. Listeners are called on the loop of their call.
class CallTable final : public std::enable_shared_from_this<CallTable> {
public:
    struct Entry {
        net::OwningLoop caller = {};
        std::string id = {};  ///< Also the progress token.
        std::shared_ptr<CallListener> listener = {};
        std::shared_ptr<const AgentIdentity> agent = {};
        bool has_ended = false;  ///< Owned by the caller's loop.
    };

    /// Removes its call from the table when destroyed, on the caller's loop.
    class Ticket final {
    public:
        Ticket(std::shared_ptr<CallTable> table, std::shared_ptr<Entry> entry)
            : table_(std::move(table)), entry_(std::move(entry)) {}
        Ticket(Ticket&&) noexcept = default;
        Ticket& operator=(Ticket&&) = delete;
        ~Ticket();

    private:
        std::shared_ptr<CallTable> table_;
        std::shared_ptr<Entry> entry_;  // null for a call that accepts no questions
    };

    struct NoCall {};
    struct ManyCalls {};
    using Asked = std::variant<NoCall, ManyCalls, std::shared_ptr<Entry>>;

    explicit CallTable(std::size_t max_calls) : max_calls_(max_calls) {}

    /// Returns nothing if the table is full. `entry` may be null.
    [[nodiscard]] std::optional<Ticket> try_enter(std::shared_ptr<Entry> entry);

    /// Returns the call that a question is about: the only one, or any if all belong to one agent.
    [[nodiscard]] Asked asked() const;
    /// Notifies the call with this progress token, if it is in flight.
    void notify(std::string_view token, Notification notification) const;

    /// Passes a question to a call, unless the call has ended by then.
    static void ask(const std::shared_ptr<Entry>& entry, Question question);

private:
    using Listening = std::vector<std::shared_ptr<Entry>>;

    void leave(const std::shared_ptr<Entry>& entry);

    const std::size_t max_calls_;
    // Guards nothing but itself, so no order is needed.
    std::atomic<std::size_t> count_ = 0;
    resilience::Synchronized<Listening> listening_;
};

}  // namespace holdfast::downstream
