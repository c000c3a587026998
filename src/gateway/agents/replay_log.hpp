#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "holdfast/resilience/synchronized.hpp"
#include "holdfast/resilience/time.hpp"
#include "net/buffer_budget.hpp"

namespace holdfast::agents {

struct ReplayLimits {
    std::size_t max_events = 256;
    std::size_t max_bytes = std::size_t{1} * 1024 * 1024;
    resilience::Duration keep_for = std::chrono::seconds{60};
    std::size_t max_streams = 16;          ///< Open at the same time.
    net::BufferBudget* buffers = nullptr;  ///< Outlives the log; null = no limit.
};

/// Stores the last events of a legacy session's streams. An agent whose connection broke can fetch
/// the events that it missed and follow a stream that is still open.
///
/// Thread-safety: from any thread. Followers are called and destroyed on the thread that caused it,
/// without a lock held.
class ReplayLog final {
public:
    struct Event {
        std::string id = {};
        std::string message = {};
        bool is_last = false;
    };
    using Follower = std::function<void(const Event&)>;

    explicit ReplayLog(const ReplayLimits& limits = {}) : limits_(limits), state_(limits.buffers) {}

    /// Opens a stream; nothing if too many are open. `first_id` names the stream before it has any
    /// event.
    [[nodiscard]] std::optional<std::uint64_t> open();
    /// Whether `open` would return a stream now.
    [[nodiscard]] bool can_open() const;
    [[nodiscard]] static std::string first_id(std::uint64_t stream);

    /// Stores an event, passes it to the stream's follower, and returns the event's id.
    std::string add(std::uint64_t stream, std::string_view message, bool is_last,
                    resilience::TimePoint now);

    /// Ends a stream without a last event; the follower gets an event without an id.
    void close(std::uint64_t stream);

    /// Passes all events of the stream after `last_id` to the follower, and then all later ones.
    /// Returns false and passes nothing if the id is unknown or too old.
    ///
    /// A stream has one follower. The previous follower gets an end without an id, as by `close`;
    /// an event that another thread adds at the same moment may still reach it afterwards.
    [[nodiscard]] bool resume(std::string_view last_id, Follower follower,
                              resilience::TimePoint now);

private:
    struct Kept {
        std::uint64_t stream = 0;
        std::uint64_t number = 0;
        resilience::TimePoint at = {};
        Event event = {};
    };
    struct Stream {
        std::uint64_t last_number = 0;
        Follower follower = {};
    };
    struct State {
        explicit State(net::BufferBudget* buffers) : share(buffers) {}

        std::uint64_t last_stream = 0;
        std::unordered_map<std::uint64_t, Stream> open = {};
        std::deque<Kept> kept = {};
        std::size_t bytes = 0;
        net::BufferShare share;  // of `bytes`
    };

    void drop_old(State& state, resilience::TimePoint now) const;

    const ReplayLimits limits_;
    resilience::Synchronized<State> state_;
};

}  // namespace holdfast::agents
