#include "downstream/http/http_reply.hpp"

#include <algorithm>
#include <cctype>
#include <utility>
#include <variant>
#include <vector>

#include "downstream/http/http_heads.hpp"
#include "downstream/http_fault.hpp"
#include "downstream/wire_text.hpp"
#include "jsonrpc/thread_reader.hpp"
#include "net/sse_parser.hpp"

namespace holdfast::downstream {
namespace {

namespace asio = boost::asio;
using jsonrpc::MessageKind;
using jsonrpc::PaddedText;

PaddedText padded_copy(std::string_view text) {
    std::string copy;
    copy.reserve(text.size() + PaddedText::kPadding);
    copy.append(text);
    return PaddedText{std::move(copy)};
}

bool is_response_to(const jsonrpc::Message& message, std::string_view id) {
    if (message.kind == MessageKind::result) {
        return message.id == id;
    }
    // An error without an id is about a request that could not be parsed; it can only be this one.
    return message.kind == MessageKind::error && (message.id == id || message.id.empty());
}

// Returns the only message of a batch of one, which some servers make of every answer.
std::optional<PaddedText> unpacked(const PaddedText& text) {
    const auto parts = jsonrpc::thread_reader().split_batch(text);
    return parts && parts->size() == 1 ? std::optional{padded_copy(parts->front())} : std::nullopt;
}

// Handles one message of a stream; returns an answer if it is the awaited response.
std::optional<CallResult> take_message(PaddedText text, const EventReading& reading,
                                       StreamListener& listener) {
    const auto read = jsonrpc::thread_reader().read(text);
    if (!read) {
        return malformed_fault(
            "The server sent something that is not JSON-RPC: " + read.error().message + ".");
    }
    const jsonrpc::Message& message = *read;
    if (!reading.id.empty() && is_response_to(message, reading.id)) {
        return answer_from(std::move(text), message, reading.era);
    }
    std::string method{message.method};
    std::string params{message.body.text()};
    if (message.kind == MessageKind::notification) {
        listener.on_notification({.method = std::move(method), .params = std::move(params)});
    } else if (message.kind == MessageKind::request) {
        listener.on_request({.id = std::string{message.id},
                             .method = std::move(method),
                             .params = std::move(params)});
    }
    return std::nullopt;
}

std::optional<CallResult> take_event(std::string_view data, const EventReading& reading,
                                     StreamListener& listener) {
    PaddedText text = padded_copy(data);
    if (!jsonrpc::is_batch(text.view())) {
        return take_message(std::move(text), reading, listener);
    }
    const auto parts = jsonrpc::thread_reader().split_batch(text);
    if (!parts) {
        return malformed_fault(
            "The server sent a batch that cannot be read: " + parts.error().message + ".");
    }
    for (const std::string_view part : *parts) {
        if (auto ended = take_message(padded_copy(part), reading, listener)) {
            return ended;
        }
    }
    return std::nullopt;
}

CallFault fault_of_dropped(const net::SseTooLong& event) {
    return event.is_out_of_space
               ? CallFault{.kind = CallFault::Kind::overloaded,
                           .message = "The gateway is out of buffer space.",
                           .delivery = resilience::Delivery::sent}
               : CallFault{.kind = CallFault::Kind::too_large,
                           .message = "A message of the server is over the limit.",
                           .delivery = resilience::Delivery::sent};
}

// Handles all events of one piece of the stream.
std::optional<CallResult> take_events(net::SseParser& parser, EventReading& reading,
                                      StreamListener& listener) {
    while (true) {
        const net::SseStep step = parser.next();
        if (std::holds_alternative<net::SseNeedBytes>(step)) {
            return std::nullopt;
        }
        if (const auto* dropped = std::get_if<net::SseTooLong>(&step)) {
            return fault_of_dropped(*dropped);
        }
        const auto& event = std::get<net::SseEvent>(step);
        if (!event.is_message()) {
            continue;
        }
        reading.has_heard = true;
        if (auto ended = take_event(event.data, reading, listener)) {
            return ended;
        }
    }
}

void remember_place(const net::SseParser& parser, EventReading& reading) {
    const std::string& id = parser.last_event_id();
    if (!id.empty() && is_plain_header_value(id)) {
        reading.last_event_id = id;
    }
    if (parser.retry()) {
        reading.retry = parser.retry();
    }
}

bool is_end_of_wait(const net::NetError& error) {
    return error.code == net::NetErrc::timed_out || error.code == net::NetErrc::cancelled;
}

}  // namespace

bool is_event_stream(const net::HttpClientResponse& response) {
    constexpr std::string_view kType = "text/event-stream";
    const std::string_view type = response.headers().find("Content-Type").value_or("");
    return response.status() == 200 && type.size() >= kType.size() &&
           std::ranges::equal(type.substr(0, kType.size()), kType, {}, [](char character) {
               return static_cast<char>(std::tolower(static_cast<unsigned char>(character)));
           });
}

CallResult answer_in_body(const net::HttpClientResponse& response, std::string body,
                          std::string_view id, mcp::Era era) {
    PaddedText text{std::move(body)};
    if (jsonrpc::is_batch(text.view())) {
        if (auto only = unpacked(text)) {
            text = std::move(*only);
        }
    }
    const auto message = jsonrpc::thread_reader().read(text);
    const int status = response.status();
    if (message && is_response_to(*message, id)) {
        Answer answer = answer_from(std::move(text), *message, era);
        answer.http_status = status;
        return answer;
    }
    if (status < 200 || status >= 300) {
        return fault_of_status(status, response.headers(), text.view());
    }
    if (message) {
        return malformed_fault("The server sent another message than the answer.");
    }
    return malformed_fault("The server's answer is not JSON-RPC: " + message.error().message + ".");
}

asio::awaitable<std::optional<CallResult>> read_events(net::HttpClientResponse& response,
                                                       EventReading& reading,
                                                       StreamListener& listener) {
    net::SseParser parser{
        {.max_event_bytes = reading.max_message_bytes, .buffers = reading.buffers}};
    while (true) {
        const auto piece = co_await response.read_some(reading.deadline);
        if (!piece) {
            if (is_end_of_wait(piece.error())) {
                co_return fault_of_body(piece.error());
            }
            co_return std::nullopt;
        }
        if (piece->empty()) {
            co_return std::nullopt;
        }
        parser.feed(*piece);
        auto ended = take_events(parser, reading, listener);
        remember_place(parser, reading);
        if (ended) {
            if (ended->has_value()) {
                (*ended)->http_status = response.status();
            }
            co_return std::move(ended);
        }
    }
}

}  // namespace holdfast::downstream
