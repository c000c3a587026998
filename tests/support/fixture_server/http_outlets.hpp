#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "net/http_exchange.hpp"
#include "support/fixture_server/outlet.hpp"

namespace holdfast::fixture {

/// When an answer is sent as an event stream.
enum class Streaming : std::uint8_t {
    when_needed,  ///< If a message precedes the answer.
    always,       ///< For every result, as many servers do.
};

/// The answer of one HTTP request: JSON or a stream. The stream is lost with its connection, as in
/// the modern era.
///
/// Thread-safety: none; belongs to the loop.
class HttpOutlet final : public Outlet {
public:
    HttpOutlet(std::shared_ptr<net::HttpExchange> exchange, Streaming streaming);

    void send(std::string_view message) override;
    void finish(std::string_view message, int http_status) override;
    void abandon() override;
    void send_junk() override;

    /// Opens the stream before the first message.
    void start();

private:
    std::shared_ptr<net::HttpExchange> exchange_;  // null after the answer
    const Streaming streaming_;
};

/// The same for the legacy era, where events have ids and are stored, so that a client can resume
/// after it lost its connection.
///
/// Thread-safety: none; belongs to the loop.
class ResumableOutlet final : public Outlet {
public:
    struct Options {
        std::uint64_t stream = 0;  ///< Its number in the session; part of the ids of its events.
        std::string headers = {};  ///< Further lines for the answer.
        Streaming streaming = Streaming::when_needed;
        bool has_priming_event = false;  ///< Whether the client understands events without data.
    };
    ResumableOutlet(std::shared_ptr<net::HttpExchange> exchange, Options options);

    void send(std::string_view message) override;
    void finish(std::string_view message, int http_status) override;
    void abandon() override;
    void send_junk() override;
    void interrupt() override;

    [[nodiscard]] std::uint64_t stream() const noexcept { return options_.stream; }
    /// Continues in another exchange after the event of that index.
    void resume(std::shared_ptr<net::HttpExchange> exchange, std::size_t last_index);

private:
    static constexpr std::size_t kMaxEvents = 10'000;

    void start();
    void keep(std::string_view message);
    void end();
    [[nodiscard]] std::string event_id(std::size_t index) const;

    const Options options_;
    std::shared_ptr<net::HttpExchange> exchange_;  // null while no client is connected
    std::vector<std::string> events_;              // as sent; the first has index 1
    bool has_started_ = false;
    bool is_over_ = false;
};

/// The last event that a client received.
struct EventPosition {
    std::uint64_t stream = 0;
    std::size_t index = 0;
};
/// Parses `Last-Event-ID`; nothing if it is not one of this server.
[[nodiscard]] std::optional<EventPosition> event_position(std::string_view last_event_id);

}  // namespace holdfast::fixture
