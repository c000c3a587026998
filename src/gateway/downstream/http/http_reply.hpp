#pragma once

#include <boost/asio/awaitable.hpp>
#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "downstream/answer.hpp"
#include "downstream/call_listener.hpp"
#include "holdfast/resilience/deadline.hpp"
#include "mcp/revision.hpp"
#include "net/http_client.hpp"

// Reads a server's reply: one JSON text, or a stream of events.

namespace holdfast::downstream {

/// A request of a server; the id is as written.
struct ServerRequest {
    std::string id = {};
    std::string method = {};
    std::string params = {};  ///< An object as written; may be empty.
};

/// Receives the messages of a stream other than the awaited response.
class StreamListener {
public:
    StreamListener() = default;
    StreamListener(const StreamListener&) = delete;
    StreamListener& operator=(const StreamListener&) = delete;
    virtual ~StreamListener() = default;

    virtual void on_notification(Notification notification) = 0;
    virtual void on_request(ServerRequest request) = 0;
};

/// A stream that is being read, with the state for resuming it on another connection.
struct EventReading {
    std::string id = {};  ///< Id of the request whose response ends the stream; may be empty.
    mcp::Era era = mcp::Era::legacy;
    std::size_t max_message_bytes = 0;
    net::BufferBudget* buffers = nullptr;  ///< That of the loop.
    resilience::Deadline deadline = resilience::Deadline::never();
    std::string last_event_id = {};
    std::optional<std::chrono::milliseconds> retry = std::nullopt;
    bool has_heard = false;  ///< Whether any message arrived.
};

[[nodiscard]] bool is_event_stream(const net::HttpClientResponse& response);

/// Extracts the answer to the request with this id from a complete body.
[[nodiscard]] CallResult answer_in_body(const net::HttpClientResponse& response, std::string body,
                                        std::string_view id, mcp::Era era);

/// Reads events up to the response, or up to a fault that ends the call. Returns nothing if the
/// stream broke off before. All arguments must outlive the wait.
[[nodiscard]] boost::asio::awaitable<std::optional<CallResult>> read_events(
    net::HttpClientResponse& response, EventReading& reading, StreamListener& listener);

}  // namespace holdfast::downstream
