#include "downstream/http/http_call.hpp"

#include <algorithm>
#include <cctype>
#include <optional>
#include <string>
#include <utility>
#include <variant>

#include "downstream/http_fault.hpp"
#include "downstream/wire_text.hpp"
#include "holdfast/resilience/asio/one_shot.hpp"
#include "jsonrpc/thread_reader.hpp"

namespace holdfast::downstream {
namespace {

namespace asio = boost::asio;
using Kind = CallFault::Kind;
using Response = std::unique_ptr<net::HttpClientResponse>;
using resilience::Delivery;

/// Dispatches the messages on a reply's stream: all belong to this call except lists and pings.
class ReplyListener final : public StreamListener {
public:
    ReplyListener(HttpLinkState& state, CallListener* listener)
        : state_(&state), listener_(listener) {}

    void on_notification(Notification notification) override {
        if (concerns_no_call(notification.method)) {
            state_->tell(std::move(notification));
        } else if (listener_ != nullptr && notification.method != "notifications/cancelled") {
            listener_->on_notification(std::move(notification));
        }
    }

    void on_request(ServerRequest request) override {
        if (!state_->is_legacy()) {
            return;  // Not allowed in the modern era, and cannot be answered.
        }
        if (request.method == "ping") {
            state_->answer_ping(request);
        } else if (listener_ != nullptr) {
            listener_->on_question(state_->question_of(std::move(request)));
        } else {
            state_->refuse(request, "There is no agent to ask during this request.");
        }
    }

private:
    HttpLinkState* state_;
    CallListener* listener_;
};

std::string cancellation_reason(Kind kind) {
    return kind == Kind::timed_out ? "timed out" : "cancelled by the caller";
}

// Notifies a legacy server of the cancellation. A modern server sees its connection close.
CallFault given_up(HttpLinkState& state, const std::string& id, CallFault fault) {
    const bool is_over = fault.kind == Kind::timed_out || fault.kind == Kind::cancelled;
    if (is_over && state.is_legacy() && fault.delivery == Delivery::sent) {
        state.post_message("notifications/cancelled",
                           cancelled_text(id, cancellation_reason(fault.kind)));
    }
    return fault;
}

// A call that could not be sent has itself tried to connect: over HTTP it is not known in advance
// that the server is down.
CallFault fault_of_sending(const net::HttpClientError& error) {
    CallFault fault = fault_of(error);
    if (fault.kind == Kind::not_connected) {
        fault.kind = Kind::unreachable;
    }
    return fault;
}

// Servers built from a widespread example answer 400 instead of 404. They do not name the rejected
// request, because they have not read it.
bool says_unknown_session(const Answer& answer) {
    if (!answer.is_error() || answer.http_status != 400) {
        return false;
    }
    const auto message = jsonrpc::thread_reader().read(answer.text());
    if (!message || !message->id.empty()) {
        return false;
    }
    std::string text = error_message_of(answer);
    std::ranges::transform(text, text.begin(), [](char character) {
        return static_cast<char>(std::tolower(static_cast<unsigned char>(character)));
    });
    return text.find("session") != std::string::npos ||
           text.find("not initialized") != std::string::npos;
}

CallResult checked(HttpLinkState& state, int status, CallResult result) {
    const bool is_unknown_session =
        state.has_session() && (status == 404 || (result && says_unknown_session(*result)));
    if (is_unknown_session) {
        return state.lose_session();
    }
    return result;
}

asio::awaitable<resilience::Result<Response, net::HttpClientError>> resumed(
    std::shared_ptr<HttpLinkState> state, net::OwningLoop caller, const EventReading& reading) {
    net::HttpClientRequest request{.method = "GET",
                                   .target = state->parts.target,
                                   .headers = state->heads.for_stream(reading.last_event_id)};
    co_return co_await state->parts.client->send(caller, std::move(request), reading.deadline);
}

/// Waits until a broken stream may be resumed. Returns the fault that ends the call instead, if the
/// deadline or a cancellation comes first.
asio::awaitable<std::optional<CallFault>> wait_to_resume(net::OwningLoop caller,
                                                         const HttpLinkOptions& options,
                                                         const EventReading& reading) {
    const resilience::Duration wait = reading.retry.value_or(
        std::chrono::duration_cast<std::chrono::milliseconds>(options.resume_wait));
    const auto when = resilience::saturating_add(caller.timekeeper->now(), wait);
    const auto until = std::min(when, reading.deadline.when());
    resilience::OneShot pause{*caller.timekeeper};
    const bool is_in_time = co_await pause.wait_until(until) == resilience::WakeReason::time;
    if (is_in_time && until == when) {
        co_return std::nullopt;
    }
    co_return fault_of_body(
        {.code = is_in_time ? net::NetErrc::timed_out : net::NetErrc::cancelled, .message = {}});
}

/// The stream could not be resumed this time.
struct TryAgain {};
using Reopened = std::variant<Response, TryAgain, CallFault>;

// Opens a stream that continues where the reading stopped. A fault ends the call.
asio::awaitable<Reopened> reopened(std::shared_ptr<HttpLinkState> state, net::OwningLoop caller,
                                   const EventReading& reading) {
    if (auto fault = co_await wait_to_resume(caller, state->parts.http, reading)) {
        co_return std::move(*fault);
    }
    auto response = co_await resumed(state, caller, reading);
    if (!response) {
        CallFault fault = fault_of(response.error());
        fault.delivery = Delivery::sent;  // The request was sent, even if this attempt was not.
        if (fault.kind == Kind::timed_out || fault.kind == Kind::cancelled) {
            co_return fault;
        }
        co_return TryAgain{};
    }
    const int status = (*response)->status();
    if (status == 404 && state->has_session()) {
        state->lose_session();
        co_return broken_off_fault();
    }
    if (status == 405) {
        co_return broken_off_fault();
    }
    if (!is_event_stream(**response)) {
        co_return TryAgain{};
    }
    co_return std::move(*response);
}

asio::awaitable<CallResult> follow_stream(std::shared_ptr<HttpLinkState> state,
                                          net::OwningLoop caller, EventReading reading,
                                          Response response,
                                          std::shared_ptr<CallListener> listener) {
    ReplyListener replies{*state, listener.get()};
    std::uint32_t resumes = 0;
    while (true) {
        if (auto ended = co_await read_events(*response, reading, replies)) {
            co_return std::move(*ended);
        }
        response.reset();  // so that its connection is free before another is opened
        Reopened next = TryAgain{};
        while (std::holds_alternative<TryAgain>(next)) {
            const bool can_resume = state->is_legacy() && !reading.last_event_id.empty() &&
                                    resumes++ < state->parts.http.max_resumes;
            if (!can_resume) {
                co_return broken_off_fault();
            }
            next = co_await reopened(state, caller, reading);
        }
        if (auto* const fault = std::get_if<CallFault>(&next)) {
            co_return std::move(*fault);
        }
        response = std::get<Response>(std::move(next));
    }
}

// Returns the headers of a request. The gateway's own requests omit missing credentials.
resilience::Result<CredentialLines, CallFault> headers_of(const HttpLinkState& state,
                                                          const net::OwningLoop& caller,
                                                          const Request& request) {
    const ToolHeaderTable* const table = state.tool_headers(caller);
    if (!request.agent) {
        return CredentialLines{.lines = state.heads.for_request(request, table)};
    }
    auto credentials =
        credential_lines(state.parts.options.credentials, request.agent_headers.get());
    if (!credentials) {
        return CallFault{.kind = Kind::unauthorized, .message = credentials.error().message};
    }
    credentials->lines.insert(0, state.call_heads.for_request(request, table));
    return std::move(*credentials);
}

// A server may repeat credentials in its error text.
CallResult redacted(CallResult result, const std::vector<std::string>& secrets) {
    if (!result && !secrets.empty()) {
        result.error().message = without_secrets(std::move(result.error().message), secrets);
    }
    return result;
}

net::HttpClientRequest composed(const HttpLinkState& state, const Request& request,
                                std::string_view id, std::string headers) {
    const RequestDress dress{.id = id,
                             .progress_token = request.wants_progress ? id : std::string_view{},
                             .revision = state.parts.negotiated.revision,
                             .client_info = state.parts.options.client_info};
    return {.method = "POST",
            .target = state.parts.target,
            .headers = std::move(headers),
            .body = dressed_request(request, dress)};
}

// Returns null for calls that no message on the session's stream can be about; the table then only
// counts them.
std::shared_ptr<CallTable::Entry> entry_of(const HttpLinkState& state,
                                           const net::OwningLoop& caller, const std::string& id,
                                           const Request& request,
                                           const std::shared_ptr<CallListener>& listener) {
    if (!state.is_legacy() || !listener || !state.may_have_stream()) {
        return nullptr;
    }
    return std::make_shared<CallTable::Entry>(
        CallTable::Entry{.caller = caller, .id = id, .listener = listener, .agent = request.agent});
}

CallFault too_many_calls() {
    return {.kind = Kind::overloaded, .message = "Too many requests to this server are in flight."};
}

}  // namespace

asio::awaitable<CallResult> run_http_call(std::shared_ptr<HttpLinkState> state,
                                          net::OwningLoop caller, Request request,
                                          std::shared_ptr<CallListener> listener) {
    if (auto refusal = state->refusal()) {
        co_return std::move(*refusal);
    }
    const std::string id = state->next_id();
    const auto ticket = state->calls->try_enter(entry_of(*state, caller, id, request, listener));
    if (!ticket) {
        co_return too_many_calls();
    }
    auto headers = headers_of(*state, caller, request);
    if (!headers) {
        co_return std::move(headers).error();
    }
    auto sent = co_await state->parts.client->send(
        caller, composed(*state, request, id, std::move(headers->lines)), request.deadline);
    if (!sent) {
        co_return given_up(*state, id, fault_of_sending(sent.error()));
    }
    Response response = std::move(*sent);
    if (is_event_stream(*response)) {
        const EventReading reading{.id = id,
                                   .era = state->era(),
                                   .max_message_bytes = state->parts.options.max_message_bytes,
                                   .buffers = caller.buffers,
                                   .deadline = request.deadline};
        auto result = co_await follow_stream(state, caller, reading, std::move(response),
                                             std::move(listener));
        if (!result) {
            co_return given_up(*state, id, std::move(result).error());
        }
        co_return result;
    }
    auto body =
        co_await response->read_all(state->parts.options.max_message_bytes, request.deadline);
    if (!body) {
        co_return given_up(*state, id, fault_of_body(body.error()));
    }
    co_return redacted(checked(*state, response->status(),
                               answer_in_body(*response, std::move(*body), id, state->era())),
                       headers->secrets);
}

}  // namespace holdfast::downstream
