#include "downstream/http_link.hpp"

#include <boost/asio/post.hpp>
#include <tuple>
#include <utility>

#include "downstream/http/http_call.hpp"
#include "downstream/http/http_link_state.hpp"
#include "downstream/http/http_listening.hpp"
#include "downstream/http/http_session_stream.hpp"
#include "downstream/http/http_subscriptions.hpp"
#include "jsonrpc/message_writer.hpp"

namespace holdfast::downstream {
namespace {

namespace asio = boost::asio;

asio::awaitable<void> close_session(std::shared_ptr<HttpLinkState> state, CallFault why) {
    const bool has_to_tell = state->has_session() && !state->refusal();
    state->close(std::move(why));
    if (!has_to_tell) {
        co_return;
    }
    const auto deadline =
        resilience::Deadline::after(state->home.timekeeper->now(), state->parts.http.close_wait);
    net::HttpClientRequest request{
        .method = "DELETE", .target = state->parts.target, .headers = state->heads.for_delete()};
    // Ignores the reply: servers need not support ending a session.
    std::ignore = co_await state->parts.client->send(state->home, std::move(request), deadline);
}

}  // namespace

HttpLink::HttpLink(net::OwningLoop home, HttpLinkDeps parts, std::weak_ptr<LinkListener> listener)
    : state_(
          std::make_shared<HttpLinkState>(std::move(home), std::move(parts), std::move(listener))),
      listening_(state_->is_legacy() ? nullptr : std::make_shared<HttpListening>(state_)),
      subscriptions_(state_->is_legacy() ? std::make_shared<HttpSubscriptions>(state_) : nullptr) {
    if (state_->is_legacy()) {
        state_->tasks->try_start(follow_session(state_));
    }
}

// NOLINTNEXTLINE(bugprone-exception-escape): only when out of memory, which ends the process.
HttpLink::~HttpLink() {
    asio::post(state_->home.executor, [state = state_] {
        state->close({.kind = CallFault::Kind::stopping,
                      .message = "The connection to the server is being closed."});
    });
}

asio::awaitable<void> HttpLink::wait_for_stream(resilience::Deadline deadline) {
    if (state_->is_legacy() && state_->has_session()) {
        std::ignore = co_await state_->stream_is_settled.wait_until(deadline.when());
    }
}

const Negotiated& HttpLink::negotiated() const {
    return state_->parts.negotiated;
}

asio::awaitable<CallResult> HttpLink::call(net::OwningLoop caller, Request request,
                                           std::shared_ptr<CallListener> listener) {
    return run_http_call(state_, std::move(caller), std::move(request), std::move(listener));
}

std::shared_ptr<StartedCall> HttpLink::try_start(const net::OwningLoop& caller,
                                                 const Request& request,
                                                 const std::shared_ptr<CallObserver>& observer) {
    return try_start_http_call(state_, caller, request, observer);
}

void HttpLink::notify(std::string_view method, std::string params) {
    state_->post_message(std::string{method}, jsonrpc::notification_text(method, params));
}

void HttpLink::set_interests(Interests interests) {
    if (listening_) {
        listening_->want(std::move(interests));
    } else {
        subscriptions_->want(std::move(interests.resource_uris));
    }
}

void HttpLink::set_tool_headers(const std::shared_ptr<const ToolHeaderTable>& table) {
    state_->set_tool_headers(table);
}

asio::awaitable<void> HttpLink::close(CallFault why) {
    return close_session(state_, std::move(why));
}

}  // namespace holdfast::downstream
