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

/// The last events of the streams of one legacy session, so that an agent whose connection broke
/// can fetch what it missed, and follow a stream that still goes on.
///
/// Thread-safety: from any thread. Followers are called, and let go of, on whichever thread that
/// happens to be, without a lock held.
class ReplayLog final {
public:
    struct Event {
        std::string id = {};
        std::string message = {};
        bool is_last = false;
    };
    using Follower = std::function<void(const Event&)>;

    explicit ReplayLog(const ReplayLimits& limits = {}) : limits_(limits), state_(limits.buffers) {}

    /// A new stream; nothing if too many are open. Its first event id names the stream before
    /// anything was sent on it.
    [[nodiscard]] std::optional<std::uint64_t> open();
    /// Whether `open` would return a stream now.
    [[nodiscard]] bool can_open() const;
    [[nodiscard]] static std::string first_id(std::uint64_t stream);

    /// Keeps an event, tells the stream's follower, and returns the event's id.
    std::string add(std::uint64_t stream, std::string_view message, bool is_last,
                    resilience::TimePoint now);

    /// A stream ends without a last event: its follower is told one without an id.
    void close(std::uint64_t stream);

    /// Tells the follower all events of that stream after `last_id`, and those to come. False,
    /// and nothing is told, if the id is unknown or too old.
    ///
    /// A stream has one follower. The one before is told an end without an id, as by `close`; an
    /// event that another thread adds at that moment may still reach it after that.
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
