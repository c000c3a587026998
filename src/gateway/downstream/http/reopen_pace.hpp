#pragma once

#include <chrono>
#include <cstdint>
#include <optional>

#include "holdfast/resilience/backoff.hpp"
#include "holdfast/resilience/time.hpp"

namespace holdfast::downstream {

/// The shortest delay before a stream is opened again, even if its server asks for none.
inline constexpr resilience::Duration kMinReopenWait = std::chrono::milliseconds{100};

/// A stream outside of calls that has ended.
struct EndedStream {
    resilience::Duration age = {};
    bool has_heard = false;  ///< Whether any message arrived.
    std::optional<std::chrono::milliseconds> retry = std::nullopt;  ///< The server's own delay.
};

/// Decides when a stream outside of calls is opened again. A server may set the delay, down to
/// `kMinReopenWait`. A stream that ends early without a message is a failure, and failures in a row
/// make the delay grow: some servers end it at once, each time. Early ends with messages, of a
/// server that asks for less than the first delay, let it grow up to the first delay only.
///
/// Thread-safety: none.
class ReopenPace final {
public:
    explicit ReopenPace(const resilience::BackoffOptions& options) : backoff_(options) {}

    /// Returns how long to wait after this end.
    [[nodiscard]] resilience::Duration wait_after(const EndedStream& stream);

private:
    [[nodiscard]] resilience::Duration requested_by(const EndedStream& stream) const;

    resilience::Backoff backoff_;
    std::uint32_t failures_ = 0;
    std::uint32_t early_ends_ = 0;
};

}  // namespace holdfast::downstream
