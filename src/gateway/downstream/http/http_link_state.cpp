#include "downstream/http/http_link_state.hpp"

#include <boost/asio/post.hpp>
#include <utility>

#include "jsonrpc/message_writer.hpp"
#include "mcp/protocol_error.hpp"

namespace holdfast::downstream {
namespace {

namespace asio = boost::asio;
using resilience::Deadline;

// Sends one message and ignores the reply.
asio::awaitable<void> send_message(std::shared_ptr<HttpLinkState> state, std::string method,
                                   std::string text) {
    const Deadline deadline =
        Deadline::after(state->home.timekeeper->now(), state->parts.http.post_wait);
    net::HttpClientRequest request{.method = "POST",
                                   .target = state->parts.target,
                                   .headers = state->heads.for_message(method),
                                   .body = std::move(text)};
    auto response = co_await state->parts.client->send(state->home, std::move(request), deadline);
    if (response && !is_event_stream(**response)) {
        // Reads to the end, so that the connection can be reused.
        std::ignore =
            co_await (*response)->read_all(state->parts.options.max_message_bytes, deadline);
    }
}

/// The path of one answer back to the server. Refuses the question if destroyed without an answer.
class AnswerPath final {
public:
    AnswerPath(std::shared_ptr<HttpLinkState> state, std::string id)
        : state_(std::move(state)), id_(std::move(id)) {}
    AnswerPath(const AnswerPath&) = delete;
    AnswerPath& operator=(const AnswerPath&) = delete;
    // NOLINTNEXTLINE(bugprone-exception-escape): only when out of memory, which ends the process.
    ~AnswerPath() {
        const jsonrpc::ErrorObject error{.code = mcp::kInternalError,
                                         .message = "The question was not answered."};
        send(jsonrpc::error_text(id_, error));
    }

    void answer(const QuestionAnswer& answer) {
        send(answer.is_error ? jsonrpc::relayed_error_text(id_, answer.body)
                             : jsonrpc::result_text(id_, answer.body));
    }

private:
    void send(std::string text) {
        if (!has_answered_.exchange(true)) {
            state_->post_message({}, std::move(text));
        }
    }

    const std::shared_ptr<HttpLinkState> state_;
    const std::string id_;
    std::atomic<bool> has_answered_ = false;
};

HttpHeads heads_of(const HttpLinkDeps& parts, std::string_view configured_lines) {
    return HttpHeads{parts.negotiated.revision, parts.session_id, configured_lines};
}

}  // namespace

HttpLinkState::HttpLinkState(net::OwningLoop home_loop, HttpLinkDeps link_parts,
                             std::weak_ptr<LinkListener> link_listener)
    : home(std::move(home_loop)),
      parts(std::move(link_parts)),
      heads(heads_of(parts, parts.own_headers.empty() ? parts.options.headers : parts.own_headers)),
      call_heads(heads_of(parts, parts.options.headers)),
      listener(std::move(link_listener)),
      calls(std::make_shared<CallTable>(parts.options.max_calls)),
      tasks(std::make_shared<BackgroundTasks>(home.executor, parts.http.max_tasks)) {}

std::optional<CallFault> HttpLinkState::refusal() const {
    switch (life_.load()) {
        case Life::open:
            return std::nullopt;
        case Life::lost:
            return CallFault{.kind = CallFault::Kind::not_connected,
                             .message = "The session with the server has ended."};
        case Life::closed:
            break;
    }
    return closed_why_.with([](const auto& why) { return why; });
}

void HttpLinkState::set_tool_headers(std::shared_ptr<const ToolHeaderTable> table) {
    const bool has_any = table && !table->params.empty();
    tool_headers_.publish(has_any ? std::move(table) : nullptr);
}

CallFault HttpLinkState::lose_session() {
    CallFault why{.kind = CallFault::Kind::connection_lost,
                  .message = "The server has ended the session.",
                  .delivery = resilience::Delivery::not_sent,
                  .http_status = 404};
    Life expected = Life::open;
    if (!life_.compare_exchange_strong(expected, Life::lost)) {
        return why;
    }
    asio::post(home.executor, [self = shared_from_this(), why]() mutable {
        self->tasks->end_all();
        const auto owner = self->listener.lock();
        if (owner && self->life_.load() != Life::closed) {
            owner->on_lost(std::move(why));
        }
    });
    return why;
}

void HttpLinkState::post_message(std::string method, std::string text) {
    asio::post(home.executor, [self = shared_from_this(), method = std::move(method),
                               text = std::move(text)]() mutable {
        self->tasks->try_start(send_message(self, std::move(method), std::move(text)));
    });
}

void HttpLinkState::tell(Notification notification) {
    asio::post(home.executor,
               [self = shared_from_this(), notification = std::move(notification)]() mutable {
                   const auto owner = self->listener.lock();
                   if (owner && self->life_.load() == Life::open) {
                       owner->on_notification(std::move(notification));
                   }
               });
}

Question HttpLinkState::question_of(ServerRequest request) {
    auto path = std::make_shared<AnswerPath>(shared_from_this(), std::move(request.id));
    return {
        .method = std::move(request.method),
        .params = std::move(request.params),
        .answer = [path = std::move(path)](const QuestionAnswer& answer) { path->answer(answer); }};
}

void HttpLinkState::refuse(const ServerRequest& request, std::string_view reason) {
    post_message({},
                 jsonrpc::error_text(request.id, {.code = mcp::kInternalError, .message = reason}));
}

void HttpLinkState::answer_ping(const ServerRequest& request) {
    post_message({}, jsonrpc::result_text(request.id, "{}"));
}

void HttpLinkState::close(CallFault why) {
    closed_why_.with([&](auto& first) {
        if (!first) {
            first = std::move(why);
        }
    });
    life_.store(Life::closed);
    tasks->end_all();
}

bool concerns_no_call(std::string_view method) noexcept {
    return method.ends_with("/list_changed") || method == "notifications/resources/updated";
}

}  // namespace holdfast::downstream
