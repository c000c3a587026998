#include "downstream/http/http_call.hpp"

#include <algorithm>
#include <boost/asio/post.hpp>
#include <cctype>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "downstream/http/http_reply_stream.hpp"
#include "downstream/http_fault.hpp"
#include "downstream/supervision/spawned_call.hpp"
#include "downstream/wire_text.hpp"
#include "jsonrpc/thread_reader.hpp"

namespace holdfast::downstream {
namespace {

namespace asio = boost::asio;
using Kind = CallFault::Kind;
using Response = std::unique_ptr<net::HttpClientResponse>;
using resilience::Delivery;

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
    std::string lines = state.call_heads.for_request(request, table);
    lines += credentials->lines;
    credentials->lines = std::move(lines);
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

CallFault too_many_calls() {
    return {.kind = Kind::overloaded, .message = "Too many requests to this server are in flight."};
}

/// A call between its request and its answer.
struct OpenCall {
    std::string id;
    CallTable::Ticket ticket;  // its place in the table of calls
    std::vector<std::string> secrets;
    resilience::Deadline deadline;
};

struct PreparedCall {
    OpenCall call;
    net::HttpClientRequest request;
};

resilience::Result<PreparedCall, CallFault> prepared(
    HttpLinkState& state, const net::OwningLoop& caller, const Request& request,
    const std::shared_ptr<CallListener>& listener) {
    if (auto refusal = state.refusal()) {
        return *std::move(refusal);
    }
    auto ticket = state.calls->try_enter();
    if (!ticket) {
        return too_many_calls();
    }
    auto headers = headers_of(state, caller, request);
    if (!headers) {
        return std::move(headers).error();
    }
    const std::uint64_t number = state.next_id();
    if (state.is_legacy() && listener && state.may_have_stream()) {
        ticket->listen(caller, number, {.listener = listener, .agent = request.agent});
    }
    std::string id = std::to_string(number);
    auto composed_request = composed(state, request, id, std::move(headers->lines));
    return PreparedCall{.call = {.id = std::move(id),
                                 .ticket = *std::move(ticket),
                                 .secrets = std::move(headers->secrets),
                                 .deadline = request.deadline},
                        .request = std::move(composed_request)};
}

CallResult result_of_body(HttpLinkState& state, const OpenCall& call,
                          const net::HttpClientResponse& response,
                          net::NetResult<std::string> body) {
    if (!body) {
        return given_up(state, call.id, fault_of_body(body.error()));
    }
    return redacted(checked(state, response.status(),
                            answer_in_body(response, *std::move(body), call.id, state.era())),
                    call.secrets);
}

/// Reads the answer from its head on.
asio::awaitable<CallResult> read_answer(std::shared_ptr<HttpLinkState> state,
                                        net::OwningLoop caller, OpenCall call, Response response,
                                        std::shared_ptr<CallListener> listener) {
    const std::size_t max_bytes = state->parts.options.max_message_bytes;
    if (!is_event_stream(*response)) {
        auto body = co_await response->read_all(max_bytes, call.deadline);
        call.ticket.end(caller.timekeeper->now());
        co_return result_of_body(*state, call, *response, std::move(body));
    }
    EventReading reading{.id = call.id,
                         .era = state->era(),
                         .max_message_bytes = max_bytes,
                         .buffers = caller.buffers,
                         .deadline = call.deadline};
    auto result = co_await follow_reply_stream(state, caller, std::move(reading),
                                               std::move(response), std::move(listener));
    call.ticket.end(caller.timekeeper->now());
    if (!result) {
        co_return given_up(*state, call.id, std::move(result).error());
    }
    co_return result;
}

/// A call whose answer fits into what the connection has read: nearly all. Other answers are read
/// by a coroutine.
class HttpCall final : public StartedCall,
                       public net::HttpAnswerListener,
                       public std::enable_shared_from_this<HttpCall> {
public:
    HttpCall(std::shared_ptr<HttpLinkState> state, const net::OwningLoop& caller, OpenCall call,
             std::shared_ptr<CallObserver> observer)
        : state_(std::move(state)),
          caller_(caller),
          call_(std::move(call)),
          observer_(std::move(observer)) {}

    /// Returns false, and does nothing, if the request cannot be sent at once.
    [[nodiscard]] bool try_start(net::HttpClientRequest& request) {
        exchange_ = state_->parts.client->try_start(caller_, request, shared_from_this());
        return exchange_ != nullptr;
    }

    void cancel() override {
        is_cancelled_ = true;
        if (const auto reading = reading_.lock()) {
            reading->cancel();
            return;
        }
        // The result never comes within this call.
        asio::post(caller_.executor, [self = shared_from_this()] {
            if (self->exchange_ != nullptr) {
                self->exchange_->cancel();
            }
        });
    }

    void on_answer(net::HttpClientAnswer answer) override {
        exchange_ = nullptr;
        if (!answer) {
            report(given_up(*state_, call_.id, fault_of_sending(answer.error())));
            return;
        }
        Response response = *std::move(answer);
        if (!is_event_stream(*response)) {
            if (auto body = response->body_at_hand(state_->parts.options.max_message_bytes)) {
                report(result_of_body(*state_, call_, *response, *std::move(body)));
                return;
            }
        }
        // The pointer to the observer keeps this alive too, so that the call can be cancelled.
        reading_ = spawn_call(
            caller_, read_answer(state_, caller_, std::move(call_), std::move(response), observer_),
            {shared_from_this(), observer_.get()});
        // The head may have come between the cancellation and its effect.
        if (is_cancelled_) {
            cancel();
        }
    }

private:
    void report(CallResult result) {
        // Released first: a retry may need its place in the table.
        {
            OpenCall ended = std::move(call_);
            ended.ticket.end(caller_.timekeeper->now());
        }
        observer_->on_result(std::move(result));
    }

    const std::shared_ptr<HttpLinkState> state_;
    const net::OwningLoop caller_;
    OpenCall call_;
    const std::shared_ptr<CallObserver> observer_;
    net::HttpExchangeInFlight* exchange_ = nullptr;  // until the head of the answer is there
    std::weak_ptr<StartedCall> reading_;             // from then on, unless the body came with it
    bool is_cancelled_ = false;
};

}  // namespace

asio::awaitable<CallResult> run_http_call(std::shared_ptr<HttpLinkState> state,
                                          net::OwningLoop caller, Request request,
                                          std::shared_ptr<CallListener> listener) {
    auto call = prepared(*state, caller, request, listener);
    if (!call) {
        co_return std::move(call).error();
    }
    auto response =
        co_await state->parts.client->send(caller, std::move(call->request), request.deadline);
    if (!response) {
        call->call.ticket.end(caller.timekeeper->now());
        co_return given_up(*state, call->call.id, fault_of_sending(response.error()));
    }
    co_return co_await read_answer(std::move(state), std::move(caller), std::move(call->call),
                                   *std::move(response), std::move(listener));
}

std::shared_ptr<StartedCall> try_start_http_call(const std::shared_ptr<HttpLinkState>& state,
                                                 const net::OwningLoop& caller,
                                                 const Request& request,
                                                 const std::shared_ptr<CallObserver>& observer) {
    auto call = prepared(*state, caller, request, observer);
    if (!call) {
        return nullptr;
    }
    auto started = std::make_shared<HttpCall>(state, caller, std::move(call->call), observer);
    return started->try_start(call->request) ? std::move(started) : nullptr;
}

}  // namespace holdfast::downstream
