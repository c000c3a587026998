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

/// The event feed as a stream for one HTTP client, until the client disconnects. A client that
/// reads too slowly misses events, and notices it by their numbers.
///
/// Thread-safety: none; belongs to the loop of its exchange.
class EventStream final : public std::enable_shared_from_this<EventStream>,
                          private resilience::Timer {
public:
    /// Starts with the events after this number. Returns false and sends no answer if there are too
    /// many streams.
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

    const std::shared_ptr<telemetry::Recording> recording_;  // shared with all its readers
    const EventStreamOptions options_;
    const net::OwningLoop loop_;
    std::shared_ptr<net::HttpExchange> exchange_;  // null after the client has disconnected
    std::unique_ptr<telemetry::EventFeed::Subscription> subscription_;
    std::uint64_t last_;
    std::shared_ptr<EventStream> alive_;  // keeps itself alive while its timer runs
};

}  // namespace holdfast::admin
