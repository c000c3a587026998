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

// Reading what a server sends back: one JSON text, or a stream of events.

namespace holdfast::downstream {

/// A request of a server, with its id as written.
struct ServerRequest {
    std::string id = {};
    std::string method = {};
    std::string params = {};  ///< An object as written; empty = none.
};

/// Hears what comes on a stream besides the response that is waited for.
class StreamListener {
public:
    StreamListener() = default;
    StreamListener(const StreamListener&) = delete;
    StreamListener& operator=(const StreamListener&) = delete;
    virtual ~StreamListener() = default;

    virtual void on_notification(Notification notification) = 0;
    virtual void on_request(ServerRequest request) = 0;
};

/// A stream that is being read, and what has to be known to go on with it on another connection.
struct EventReading {
    std::string id = {};  ///< Of the request whose response ends it; empty = there is none.
    mcp::Era era = mcp::Era::legacy;
    std::size_t max_message_bytes = 0;
    net::BufferBudget* buffers = nullptr;  ///< That of the loop.
    resilience::Deadline deadline = resilience::Deadline::never();
    std::string last_event_id = {};
    std::optional<std::chrono::milliseconds> retry = std::nullopt;
    bool has_heard = false;  ///< Whether any message came.
};

[[nodiscard]] bool is_event_stream(const net::HttpClientResponse& response);

/// The answer to the request of that id, out of a whole body.
[[nodiscard]] CallResult answer_in_body(const net::HttpClientResponse& response, std::string body,
                                        std::string_view id, mcp::Era era);

/// Reads events up to the response, or up to a fault that ends the call. Nothing when the stream
/// broke off before. All arguments must outlive the wait.
[[nodiscard]] boost::asio::awaitable<std::optional<CallResult>> read_events(
    net::HttpClientResponse& response, EventReading& reading, StreamListener& listener);

}  // namespace holdfast::downstream
