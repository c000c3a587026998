#include "downstream/http/http_session_stream.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "downstream/http/reopen_pace.hpp"
#include "downstream/wire_text.hpp"
#include "holdfast/resilience/asio/one_shot.hpp"
#include "jsonrpc/thread_reader.hpp"

namespace holdfast::downstream {
namespace {

namespace asio = boost::asio;

// Returns the progress token that a notification names; nothing if it is not one of the link's.
std::optional<std::uint64_t> token_in(const std::string& params) {
    const jsonrpc::PaddedText text{params};
    const auto object = jsonrpc::thread_reader().read_object(text, text.view());
    return number_from(object.find("progressToken").value_or(""));
}

class SessionListener final : public StreamListener {
public:
    explicit SessionListener(HttpLinkState& state) : state_(&state) {}

    void on_notification(Notification notification) override {
        if (notification.method == "notifications/progress") {
            if (const auto token = token_in(notification.params)) {
                state_->calls->notify(*token, notification);
            }
        } else if (notification.method == "notifications/message") {
            pass_on(std::move(notification));
        } else if (notification.method != "notifications/cancelled") {
            state_->tell(std::move(notification));
        }
    }

    void on_request(ServerRequest request) override {
        if (request.method == "ping") {
            state_->answer_ping(request);
            return;
        }
        state_->calls->choose(state_->home, UnnamedMessage::question,
                              [state = state_->shared_from_this(),
                               request = std::move(request)](const ChosenCall& chosen) {
                                  if (chosen.kind == ChosenCall::Kind::call) {
                                      state->calls->ask(chosen.call, state->question_of(request));
                                  } else if (const auto owner = state->listener.lock()) {
                                      owner->on_question(state->question_of(request));
                                  } else {
                                      state->refuse(request, "There is no agent to ask.");
                                  }
                              });
    }

private:
    void pass_on(Notification log) {
        state_->calls->choose(
            state_->home, UnnamedMessage::log,
            [state = state_->shared_from_this(), log = std::move(log)](const ChosenCall& chosen) {
                if (chosen.kind == ChosenCall::Kind::call) {
                    state->calls->tell(chosen.call, log);
                } else {
                    state->tell(log);
                }
            });
    }

    HttpLinkState* state_;
};

enum class StreamEnd { broken, none_offered, session_over };

StreamEnd end_by_status(const HttpLinkState& state, int status) {
    if (status == 404 && state.has_session()) {
        return StreamEnd::session_over;
    }
    // The server may still see an earlier stream of this session, or the failure is temporary.
    const bool may_pass = status == 408 || status == 409 || status == 429 || status >= 500;
    return may_pass ? StreamEnd::broken : StreamEnd::none_offered;
}

// The stream lives as long as the session, so there is no deadline; the link's end cancels it.
asio::awaitable<StreamEnd> follow_once(std::shared_ptr<HttpLinkState> state,
                                       EventReading& reading) {
    net::HttpClientRequest request{.method = "GET",
                                   .target = state->parts.target,
                                   .headers = state->heads.for_stream(reading.last_event_id)};
    auto response = co_await state->parts.stream_client->send(state->home, std::move(request),
                                                              reading.deadline);
    state->stream_is_settled.signal();
    if (!response) {
        co_return StreamEnd::broken;
    }
    if (!is_event_stream(**response)) {
        co_return end_by_status(*state, (*response)->status());
    }
    SessionListener listener{*state};
    std::ignore = co_await read_events(**response, reading, listener);
    co_return StreamEnd::broken;
}

}  // namespace

asio::awaitable<void> follow_session(std::shared_ptr<HttpLinkState> state) {
    ReopenPace pace{state->parts.http.reopen};
    resilience::OneShot pause{*state->home.timekeeper};
    EventReading reading{.max_message_bytes = state->parts.options.max_message_bytes,
                         .buffers = state->home.buffers};
    while (true) {
        reading.has_heard = false;
        const auto opened_at = state->home.timekeeper->now();
        const StreamEnd end = co_await follow_once(state, reading);
        if (end == StreamEnd::session_over) {
            state->lose_session();
        }
        if (end != StreamEnd::broken) {
            state->on_no_stream();
            co_return;
        }
        const auto age = resilience::elapsed_between(opened_at, state->home.timekeeper->now());
        const auto wait =
            pace.wait_after({.age = age, .has_heard = reading.has_heard, .retry = reading.retry});
        const auto when = resilience::saturating_add(state->home.timekeeper->now(), wait);
        if (co_await pause.wait_until(when) == resilience::WakeReason::cancelled) {
            co_return;
        }
    }
}

}  // namespace holdfast::downstream
