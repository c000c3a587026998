#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <random>
#include <set>
#include <vector>

#include "holdfast/resilience/time.hpp"

namespace holdfast::downstream {

struct StartSlotOptions {
    std::size_t parallel_starts = 4;
    /// A start that gets a slot while others run begins after a random delay up to this, so that
    /// programs do not compete for the same files and servers in step. One alone begins at once.
    resilience::Duration max_jitter = std::chrono::milliseconds{500};
};

/// Decides which first starts may run at the same time. A first start may install a program, which
/// takes the processor, the disk and the network. It holds its slot until the handshake, or until
/// it makes no progress.
///
/// Thread-safety: none.
class StartSlots final {
public:
    using Ticket = std::uint64_t;

    struct Grant {
        Ticket ticket = 0;
        resilience::Duration delay = {};  ///< Before the start.
    };

    StartSlots(const StartSlotOptions& options, std::uint64_t seed);

    /// Queues a start. Its owner holds one ticket at a time, so their number has a limit.
    [[nodiscard]] Ticket join();
    /// Someone waits for this start: it precedes those that nobody waits for.
    void prefer(Ticket ticket);
    /// Gives up the slot, or the position in the queue. Unknown tickets are ignored.
    void leave(Ticket ticket);
    /// Returns the starts that have got a slot since the last call, in order.
    [[nodiscard]] std::vector<Grant> take_grants();

    [[nodiscard]] std::size_t running() const noexcept { return running_.size(); }
    [[nodiscard]] std::size_t waiting() const noexcept {
        return preferred_.size() + others_.size();
    }

private:
    const StartSlotOptions options_;
    std::mt19937_64 random_;
    Ticket last_ = 0;
    std::set<Ticket> running_;
    std::deque<Ticket> preferred_;
    std::deque<Ticket> others_;
};

}  // namespace holdfast::downstream
