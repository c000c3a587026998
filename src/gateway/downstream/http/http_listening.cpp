#include "downstream/http/http_listening.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "downstream/wire_text.hpp"
#include "holdfast/resilience/asio/one_shot.hpp"
#include "jsonrpc/json_text.hpp"
#include "jsonrpc/object_edit.hpp"
#include "jsonrpc/thread_reader.hpp"
#include "mcp/protocol_error.hpp"

namespace holdfast::downstream {
namespace {

namespace asio = boost::asio;

constexpr std::string_view kSubscriptionKey = "io.modelcontextprotocol/subscriptionId";

// The reader holds one object at a time, so the inner object is copied before the outer one is
// read.
std::string without_subscription(const std::string& params) {
    jsonrpc::PaddedText text{params};
    jsonrpc::MessageReader& reader = jsonrpc::thread_reader();
    const auto meta_text = reader.read_object(text, text.view()).find("_meta");
    if (!meta_text) {
        return params;
    }
    const std::string meta =
        jsonrpc::ObjectEdit{reader.read_object(text, *meta_text)}.remove(kSubscriptionKey).text();
    jsonrpc::ObjectEdit edit{reader.read_object(text, text.view())};
    meta == "{}" ? edit.remove("_meta") : edit.set("_meta", meta);
    std::string edited = edit.text();
    return edited == "{}" ? std::string{} : edited;
}

bool is_refusal(const CallResult& result) {
    if (result) {
        return result->is_error() && result->error_code == mcp::kMethodNotFound;
    }
    return result.error().http_status == 404 || result.error().http_status == 405;
}

}  // namespace

/// One stream that is open or to be opened, across its connections.
struct HttpListening::Listen {
    Interests interests = {};
    BackgroundTasks::Handle task = {};
    bool is_acknowledged = false;  ///< On the current connection.
    bool was_lost = false;
};

class HttpListening::Listener final : public StreamListener {
public:
    Listener(HttpListening& owner, HttpLinkState& state, std::shared_ptr<Listen> listen)
        : owner_(&owner), state_(&state), listen_(std::move(listen)) {}

    void on_notification(Notification notification) override {
        if (!std::exchange(listen_->is_acknowledged, true)) {
            owner_->on_acknowledged(listen_);
        }
        if (concerns_no_call(notification.method)) {
            notification.params = without_subscription(notification.params);
            state_->tell(std::move(notification));
        }
    }
    void on_request(ServerRequest /*request*/) override {}  // Not allowed, and cannot be answered.

private:
    HttpListening* owner_;
    HttpLinkState* state_;
    std::shared_ptr<Listen> listen_;
};

void HttpListening::want(Interests interests) {
    const auto state = state_.lock();
    if (!state || interests == wanted_) {
        return;
    }
    wanted_ = std::move(interests);
    if (opening_) {
        state->tasks->end(opening_->task);
        opening_.reset();
    }
    if (!wanted_.lists && wanted_.resource_uris.empty()) {
        if (current_) {
            state->tasks->end(current_->task);
            current_.reset();
        }
        return;
    }
    opening_ = std::make_shared<Listen>(Listen{.interests = wanted_});
    opening_->task = state->tasks->try_start(run(shared_from_this(), state, opening_));
}

void HttpListening::on_acknowledged(const std::shared_ptr<Listen>& listen) {
    const auto state = state_.lock();
    if (state && listen == opening_) {
        if (const auto old = std::exchange(current_, std::exchange(opening_, nullptr))) {
            state->tasks->end(old->task);
        }
    }
    if (!state || !std::exchange(listen->was_lost, false) || !listen->interests.lists) {
        return;
    }
    constexpr std::array<std::string_view, 3> kLists{"notifications/tools/list_changed",
                                                     "notifications/prompts/list_changed",
                                                     "notifications/resources/list_changed"};
    for (const std::string_view method : kLists) {
        state->tell({.method = std::string{method}});
    }
}

// Follows one connection to its end. Returns whether the server lacks the method.
asio::awaitable<bool> HttpListening::listen_once(std::shared_ptr<HttpListening> self,
                                                 std::shared_ptr<HttpLinkState> state,
                                                 std::shared_ptr<Listen> listen) {
    const Request request{.method = "subscriptions/listen",
                          .params_members = listen_members(listen->interests)};
    // The stream lives as long as the link, so there is no deadline; the link's end cancels it.
    EventReading reading{.id = std::to_string(state->next_id()),
                         .era = mcp::Era::modern,
                         .max_message_bytes = state->parts.options.max_message_bytes,
                         .buffers = state->home.buffers};
    net::HttpClientRequest http{
        .method = "POST",
        .target = state->parts.target,
        .headers = state->heads.for_request(request, nullptr),
        .body = dressed_request(request, {.id = reading.id,
                                          .revision = state->parts.negotiated.revision,
                                          .client_info = state->parts.options.client_info})};
    const auto head_by =
        resilience::Deadline::after(state->home.timekeeper->now(), state->parts.http.post_wait);
    auto response =
        co_await state->parts.stream_client->send(state->home, std::move(http), head_by);
    if (!response) {
        co_return false;
    }
    if (!is_event_stream(**response)) {
        auto body = co_await (*response)->read_all(reading.max_message_bytes, head_by);
        co_return body&& is_refusal(
            answer_in_body(**response, std::move(*body), reading.id, mcp::Era::modern));
    }
    Listener listener{*self, *state, std::move(listen)};
    const auto ended = co_await read_events(**response, reading, listener);
    co_return ended&& is_refusal(*ended);
}

asio::awaitable<void> HttpListening::run(std::shared_ptr<HttpListening> self,
                                         std::shared_ptr<HttpLinkState> state,
                                         std::shared_ptr<Listen> listen) {
    const resilience::Backoff backoff{state->parts.http.reopen};
    resilience::OneShot pause{*state->home.timekeeper};
    std::uint32_t failures = 0;
    while (true) {
        listen->is_acknowledged = false;
        const auto opened_at = state->home.timekeeper->now();
        const bool is_refused = co_await listen_once(self, state, listen);
        if (is_refused || (listen != self->current_ && listen != self->opening_)) {
            co_return;
        }
        listen->was_lost = listen->was_lost || listen->is_acknowledged;
        const auto age = resilience::elapsed_between(opened_at, state->home.timekeeper->now());
        failures = age >= state->parts.http.reopen.cap ? 1 : failures + 1;
        const auto when =
            resilience::saturating_add(state->home.timekeeper->now(), backoff.computed(failures));
        if (co_await pause.wait_until(when) == resilience::WakeReason::cancelled) {
            co_return;
        }
    }
}

}  // namespace holdfast::downstream
