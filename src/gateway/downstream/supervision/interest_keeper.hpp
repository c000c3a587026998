#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "downstream/link.hpp"
#include "downstream/link_opener.hpp"
#include "downstream/stream/stream_outlet.hpp"
#include "holdfast/resilience/backoff.hpp"
#include "holdfast/resilience/timekeeper.hpp"
#include "mcp/revision.hpp"

namespace holdfast::downstream {

/// Sends resource subscriptions to a legacy downstream.
///
/// Thread-safety: none; belongs to the home loop.
class LegacySubscriptions final {
public:
    /// Sends the differences. What cannot be sent now is retried with the next change.
    void want(const std::vector<std::string>& uris, StreamOutlet& outlet);

private:
    std::set<std::string, std::less<>> subscribed_;
};

struct ListeningOptions {
    resilience::Duration acknowledge_wait = std::chrono::seconds{30};
    /// Delays between the end of a listen and the next one. No jitter: only one link is involved.
    resilience::BackoffOptions reopen = {.base = std::chrono::seconds{1},
                                         .cap = std::chrono::seconds{60},
                                         .jitter = resilience::Jitter::none};
    /// A listen that lived this long resets the delays.
    resilience::Duration sustained = std::chrono::seconds{60};
};

/// Keeps one `subscriptions/listen` open at a modern downstream. When the interests change, a new
/// one is opened and acknowledged before the old one is cancelled, so that no event is missed.
///
/// Thread-safety: none; belongs to the home loop.
class ModernListening final : private resilience::Timer {
public:
    struct Voice {
        mcp::Revision revision = mcp::kNewestModern;
        std::string client_info = {};
    };

    /// Both must live until `end`.
    ModernListening(StreamOutlet& outlet, resilience::Timekeeper& timekeeper,
                    const ListeningOptions& options = {});
    ~ModernListening() override { end(); }

    void speak_as(Voice voice) { voice_ = std::move(voice); }
    void want(Interests interests);

    /// Whether notifications of this subscription are to be forwarded. The first one also counts as
    /// an acknowledgement.
    [[nodiscard]] bool forwards(std::uint64_t id);
    /// Whether this acknowledges a listen after one that was lost, so that changes may have been
    /// missed.
    [[nodiscard]] bool on_acknowledged(std::uint64_t id);
    /// The downstream has answered or cancelled a request; ignored if the request is not a listen.
    void on_ended(std::uint64_t id, int error_code);
    void end();

private:
    struct Listen {
        std::uint64_t id = 0;
        Interests interests = {};
        resilience::TimePoint heard_at = {};
    };

    void on_time() override;
    void advance();
    void open();
    void lose(int error_code);
    void cancel(std::optional<Listen>& listen);
    void stop_timer();

    StreamOutlet* outlet_;
    resilience::Timekeeper* timekeeper_;
    const ListeningOptions options_;
    const resilience::Backoff backoff_;
    Voice voice_;

    Interests wanted_{.lists = false};
    std::optional<Listen> current_;
    std::optional<Listen> opening_;
    std::uint32_t failures_ = 0;
    bool is_refused_ = false;  // the downstream has no such method
    bool was_lost_ = false;
    bool has_ended_ = false;
};

}  // namespace holdfast::downstream
