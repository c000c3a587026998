#include "downstream/http/http_reply_stream.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <variant>

#include "downstream/http/reopen_pace.hpp"
#include "downstream/http_fault.hpp"
#include "downstream/wire_text.hpp"
#include "holdfast/resilience/asio/one_shot.hpp"

namespace holdfast::downstream {
namespace {

namespace asio = boost::asio;
using Kind = CallFault::Kind;
using Response = std::unique_ptr<net::HttpClientResponse>;
using resilience::Delivery;

/// Dispatches the messages on a reply's stream: all belong to this call except lists and pings.
class ReplyListener final : public StreamListener {
public:
    /// `id`: of the call.
    ReplyListener(HttpLinkState& state, net::OwningLoop caller, std::string_view id,
                  CallListener* listener)
        : state_(&state),
          caller_(std::move(caller)),
          id_(number_from(id).value_or(0)),
          listener_(listener) {}

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
            listener_->on_question(
                state_->calls->counted(caller_, id_, state_->question_of(std::move(request))));
        } else {
            state_->refuse(request, "There is no agent to ask during this request.");
        }
    }

private:
    HttpLinkState* state_;
    const net::OwningLoop caller_;
    const std::uint64_t id_;
    CallListener* listener_;
};

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
    const resilience::Duration wait =
        reading.retry ? std::max<resilience::Duration>(*reading.retry, kMinReopenWait)
                      : options.resume_wait;
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

}  // namespace

asio::awaitable<CallResult> follow_reply_stream(std::shared_ptr<HttpLinkState> state,
                                                net::OwningLoop caller, EventReading reading,
                                                Response response,
                                                std::shared_ptr<CallListener> listener) {
    ReplyListener replies{*state, caller, reading.id, listener.get()};
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

}  // namespace holdfast::downstream
