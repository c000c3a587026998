#pragma once

#include <chrono>
#include <cstdint>
#include <memory>

#include "holdfast/resilience/timekeeper.hpp"
#include "net/http_exchange.hpp"
#include "telemetry/recording.hpp"

namespace holdfast::admin {

struct EventStreamOptions {
    resilience::Duration keep_alive = std::chrono::seconds{15};  ///< Between two comments.
    std::size_t batch = 200;  ///< Events that are taken from the feed at a time.
};

/// The feed of events as a stream of one HTTP client, until the client goes. A client that reads
/// too slowly misses events, and sees that by their numbers.
///
/// Thread-safety: none; belongs to the loop of its exchange.
class EventStream final : public std::enable_shared_from_this<EventStream>,
                          private resilience::Timer {
public:
    /// Begins with the events after that number. False, without an answer, if there are too many
    /// streams.
    [[nodiscard]] static bool start(const std::shared_ptr<net::HttpExchange>& exchange,
                                    const std::shared_ptr<telemetry::Recording>& recording,
                                    std::uint64_t after, std::string_view headers,
                                    const EventStreamOptions& options = {});

    EventStream(std::shared_ptr<net::HttpExchange> exchange,
                std::shared_ptr<telemetry::Recording> recording, std::uint64_t after,
                const EventStreamOptions& options);

private:
    void on_time() override;
    void on_abandoned() override;
    void send_new();
    void end();

    const std::shared_ptr<telemetry::Recording> recording_;  // shared with all who look at it
    const EventStreamOptions options_;
    const net::OwningLoop loop_;
    std::shared_ptr<net::HttpExchange> exchange_;  // null when the client has gone
    std::unique_ptr<telemetry::EventFeed::Subscription> subscription_;
    std::uint64_t last_;
    std::shared_ptr<EventStream> alive_;  // itself, while its timer runs
};

}  // namespace holdfast::admin
