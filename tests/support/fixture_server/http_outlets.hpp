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

/// When an answer is sent as a stream of events.
enum class Streaming : std::uint8_t {
    when_needed,  ///< If something precedes the answer.
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

    /// Opens the stream before there is a message.
    void start();

private:
    std::shared_ptr<net::HttpExchange> exchange_;  // null when it has been answered
    const Streaming streaming_;
};

/// The same for the legacy era, where events have ids and are kept, so that a client that lost its
/// connection can come back for the rest.
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
    /// Goes on in another exchange with what comes behind the event of that index.
    void resume(std::shared_ptr<net::HttpExchange> exchange, std::size_t last_index);

private:
    static constexpr std::size_t kMaxEvents = 10'000;

    void start();
    void keep(std::string_view message);
    void end();
    [[nodiscard]] std::string event_id(std::size_t index) const;

    const Options options_;
    std::shared_ptr<net::HttpExchange> exchange_;  // null while no client listens
    std::vector<std::string> events_;              // as sent; the first has index 1
    bool has_started_ = false;
    bool is_over_ = false;
};

/// Which event a client saw last.
struct EventPosition {
    std::uint64_t stream = 0;
    std::size_t index = 0;
};
/// From `Last-Event-ID`; nothing if it is not one of ours.
[[nodiscard]] std::optional<EventPosition> event_position(std::string_view last_event_id);

}  // namespace holdfast::fixture
