#pragma once

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/co_spawn.hpp>
#include <deque>
#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "asio/virtual_loop.hpp"
#include "downstream/http_link.hpp"
#include "holdfast/resilience/asio/one_shot.hpp"
#include "link_call.hpp"
#include "net/http_client.hpp"

// A scripted server behind `HttpClient` in virtual time, and the listeners of links to it.

namespace holdfast::downstream::testing {

using namespace std::chrono_literals;
namespace asio = boost::asio;

inline constexpr std::string_view kJson = "Content-Type: application/json";
inline constexpr std::string_view kEvents = "Content-Type: text/event-stream";

/// The server's reply and its timing.
struct FakeReply {
    struct Piece {
        resilience::Duration after = {};
        std::string bytes = {};
    };
    int status = 200;
    std::vector<std::string> header_lines = {};
    std::vector<Piece> pieces = {};
    bool breaks = false;  ///< The connection is lost after the pieces.
    bool hangs = false;   ///< Nothing comes after the pieces.
    std::optional<net::HttpClientError> error = std::nullopt;
    resilience::Duration head_after = {};
};

inline FakeReply json_reply(std::string body, int status = 200) {
    return {.status = status,
            .header_lines = {std::string{kJson}},
            .pieces = {{.bytes = std::move(body)}}};
}
inline FakeReply event_reply(std::vector<FakeReply::Piece> pieces) {
    return {.header_lines = {std::string{kEvents}}, .pieces = std::move(pieces)};
}
inline FakeReply status_reply(int status) {
    return {.status = status};
}
inline std::string event(std::string_view json) {
    return "event: message\ndata: " + std::string{json} + "\n\n";
}

struct SeenRequest {
    std::string method = {};
    std::string target = {};
    std::string headers = {};
    std::string body = {};
    resilience::TimePoint at = {};

    [[nodiscard]] bool has_line(std::string_view line) const {
        return ("\r\n" + headers).find("\r\n" + std::string{line} + "\r\n") != std::string::npos;
    }
    [[nodiscard]] bool says(std::string_view part) const {
        return body.find(part) != std::string::npos;
    }
};

class FakeResponse final : public net::HttpClientResponse {
public:
    FakeResponse(resilience::Timekeeper& timekeeper, FakeReply reply, int& open_count)
        : timekeeper_(&timekeeper), reply_(std::move(reply)), open_count_(&open_count) {
        ++*open_count_;
        for (const std::string& line : reply_.header_lines) {
            const std::size_t colon = line.find(": ");
            headers_.add(std::string_view{line}.substr(0, colon),
                         std::string_view{line}.substr(colon + 2));
        }
    }
    ~FakeResponse() override { --*open_count_; }

    std::optional<net::NetResult<std::string>> body_at_hand(std::size_t max_bytes) override {
        std::string whole;
        for (const auto& piece : reply_.pieces) {
            if (piece.after > resilience::Duration::zero()) {
                return std::nullopt;
            }
            whole.append(piece.bytes);
        }
        if (reply_.hangs || reply_.breaks) {
            return std::nullopt;
        }
        if (whole.size() > max_bytes) {
            return net::NetError{.code = net::NetErrc::too_large, .message = "too large"};
        }
        return whole;
    }

    [[nodiscard]] int status() const override { return reply_.status; }
    [[nodiscard]] const net::HttpHeaders& headers() const override { return headers_; }

    asio::awaitable<net::NetResult<std::string>> read_all(std::size_t max_bytes,
                                                          resilience::Deadline deadline) override {
        std::string whole;
        while (true) {
            auto piece = co_await read_some(deadline);
            if (!piece) {
                co_return std::move(piece).error();
            }
            if (piece->empty()) {
                co_return whole;
            }
            whole.append(*piece);
            if (whole.size() > max_bytes) {
                co_return net::NetError{.code = net::NetErrc::too_large, .message = "too large"};
            }
        }
    }

    asio::awaitable<net::NetResult<std::string_view>> read_some(
        resilience::Deadline deadline) override {
        if (next_ == reply_.pieces.size() && !reply_.hangs) {
            if (reply_.breaks) {
                co_return net::NetError{.code = net::NetErrc::closed, .message = "reset"};
            }
            co_return std::string_view{};
        }
        const bool hangs = next_ == reply_.pieces.size();
        const auto when =
            hangs ? resilience::TimePoint::max() : timekeeper_->now() + reply_.pieces[next_].after;
        if (when > timekeeper_->now()) {
            resilience::OneShot pause{*timekeeper_};
            const auto reason = co_await pause.wait_until(std::min(when, deadline.when()));
            if (reason == resilience::WakeReason::cancelled) {
                co_return net::NetError{.code = net::NetErrc::cancelled, .message = "cancelled"};
            }
            if (timekeeper_->now() < when) {
                co_return net::NetError{.code = net::NetErrc::timed_out, .message = "late"};
            }
        }
        co_return reply_.pieces[next_++].bytes;
    }

private:
    resilience::Timekeeper* timekeeper_;
    const FakeReply reply_;
    int* open_count_;
    net::HttpHeaders headers_;
    std::size_t next_ = 0;
};

/// Answers requests with scripted replies. A notification or response gets 202 without a script; a
/// GET gets 405 and a DELETE 200 when its script is used up.
class FakeHttpClient final : public net::HttpClient {
public:
    explicit FakeHttpClient(resilience::Timekeeper& timekeeper) : timekeeper_(&timekeeper) {}

    std::deque<FakeReply> posts;
    std::deque<FakeReply> gets;
    std::optional<FakeReply> message_reply;  ///< Instead of 202.
    std::vector<SeenRequest> seen;
    int open_count = 0;  ///< Answers that are being read.

    asio::awaitable<
        resilience::Result<std::unique_ptr<net::HttpClientResponse>, net::HttpClientError>>
    send(net::OwningLoop /*loop*/, net::HttpClientRequest request,
         resilience::Deadline deadline) override {
        seen.push_back({.method = std::string{request.method},
                        .target = std::string{request.target},
                        .headers = std::move(request.headers),
                        .body = std::move(request.body),
                        .at = timekeeper_->now()});
        FakeReply reply = next_reply(seen.back());
        if (reply.head_after > resilience::Duration::zero()) {
            const auto when = timekeeper_->now() + reply.head_after;
            resilience::OneShot pause{*timekeeper_};
            const auto reason = co_await pause.wait_until(std::min(when, deadline.when()));
            if (reason == resilience::WakeReason::cancelled) {
                co_return broken(net::NetErrc::cancelled);
            }
            if (timekeeper_->now() < when) {
                co_return broken(net::NetErrc::timed_out);
            }
        }
        if (reply.error) {
            co_return *reply.error;
        }
        co_return std::unique_ptr<net::HttpClientResponse>{
            std::make_unique<FakeResponse>(*timekeeper_, std::move(reply), open_count)};
    }

    /// Sends as `send` does, like a client that has an idle connection.
    net::HttpExchangeInFlight* try_start(
        const net::OwningLoop& loop, net::HttpClientRequest& request,
        const std::shared_ptr<net::HttpAnswerListener>& listener) override {
        const auto exchange = std::make_shared<FakeExchange>();
        asio::co_spawn(
            loop.executor,
            reported(send(loop, std::move(request), resilience::Deadline::never()), listener),
            asio::bind_cancellation_slot(exchange->signal.slot(),
                                         [exchange](const std::exception_ptr&) {}));
        return exchange.get();
    }

    [[nodiscard]] std::vector<SeenRequest> seen_by(std::string_view method) const {
        std::vector<SeenRequest> found;
        for (const SeenRequest& request : seen) {
            if (request.method == method) {
                found.push_back(request);
            }
        }
        return found;
    }
    /// The posted messages that are not requests.
    [[nodiscard]] std::vector<std::string> messages() const {
        std::vector<std::string> found;
        for (const SeenRequest& request : seen) {
            if (request.method == "POST" && !is_request(request)) {
                found.push_back(request.body);
            }
        }
        return found;
    }

private:
    struct FakeExchange final : net::HttpExchangeInFlight {
        void cancel() override { signal.emit(asio::cancellation_type::terminal); }
        asio::cancellation_signal signal;
    };

    static asio::awaitable<void> reported(asio::awaitable<net::HttpClientAnswer> answer,
                                          std::shared_ptr<net::HttpAnswerListener> listener) {
        co_await asio::this_coro::throw_if_cancelled(false);
        listener->on_answer(co_await std::move(answer));
    }
    static bool is_request(const SeenRequest& seen) {
        return seen.says("\"id\":") && seen.says("\"method\":");
    }
    static net::HttpClientError broken(net::NetErrc code) {
        return {.error = {.code = code, .message = "broken"}, .may_have_arrived = true};
    }
    static FakeReply taken(std::deque<FakeReply>& script, int otherwise) {
        if (script.empty()) {
            return status_reply(otherwise);
        }
        FakeReply reply = std::move(script.front());
        script.pop_front();
        return reply;
    }
    FakeReply next_reply(const SeenRequest& request) {
        if (request.method == "GET") {
            return taken(gets, 405);
        }
        if (request.method == "DELETE") {
            return status_reply(200);
        }
        return is_request(request) ? taken(posts, 500) : message_reply.value_or(status_reply(202));
    }

    resilience::Timekeeper* timekeeper_;
};

struct CallRecorder final : CallListener {
    void on_notification(Notification notification) override {
        notifications.push_back(std::move(notification));
    }
    void on_question(Question question) override { questions.push_back(std::move(question)); }

    std::vector<Notification> notifications;
    std::vector<Question> questions;
};

struct LinkRecorder final : LinkListener {
    void on_notification(Notification notification) override {
        notifications.push_back(std::move(notification));
    }
    void on_question(Question question) override { questions.push_back(std::move(question)); }
    void on_lost(CallFault why) override { losses.push_back(std::move(why)); }

    std::vector<Notification> notifications;
    std::vector<Question> questions;
    std::vector<CallFault> losses;
};

/// A coroutine that runs alongside the test, with its result.
template <class T>
class Running {
public:
    Running(resilience::testing::VirtualLoop& loop, asio::awaitable<T> work) {
        asio::co_spawn(loop.context, keep(std::move(work), result_),
                       asio::bind_cancellation_slot(
                           signal_->slot(), [signal = signal_](const std::exception_ptr&) {}));
    }
    void cancel() { signal_->emit(asio::cancellation_type::terminal); }
    [[nodiscard]] bool has_ended() const { return result_->has_value(); }
    [[nodiscard]] T& result() { return result_->value(); }

private:
    static asio::awaitable<void> keep(asio::awaitable<T> work,
                                      std::shared_ptr<std::optional<T>> result) {
        result->emplace(co_await std::move(work));
    }

    std::shared_ptr<asio::cancellation_signal> signal_ =
        std::make_shared<asio::cancellation_signal>();
    std::shared_ptr<std::optional<T>> result_ = std::make_shared<std::optional<T>>();
};

inline asio::awaitable<bool> closed(std::shared_ptr<Link> link) {
    co_await link->close({.kind = CallFault::Kind::stopping});
    co_return true;
}

/// A link to the scripted server after the handshake.
class HttpLinkFixture {
public:
    explicit HttpLinkFixture(mcp::Revision revision, std::string session_id = {},
                             std::string headers = {}) {
        parts.client = client;
        parts.stream_client = client;
        parts.target = "/mcp";
        parts.session_id = std::move(session_id);
        parts.negotiated.revision = revision;
        parts.options.headers = std::move(headers);
    }
    ~HttpLinkFixture() {
        link.reset();
        loop.settle();
    }
    /// Calls are observed from now on if the test says so.
    void use(CallStyle style) { style_ = style; }
    HttpLinkFixture(const HttpLinkFixture&) = delete;
    HttpLinkFixture& operator=(const HttpLinkFixture&) = delete;

    [[nodiscard]] net::OwningLoop home() {
        return {.executor = loop.context.get_executor(), .timekeeper = &loop.timekeeper};
    }
    [[nodiscard]] resilience::TimePoint now() const { return loop.timekeeper.now(); }
    [[nodiscard]] resilience::Deadline within(resilience::Duration limit) const {
        return resilience::Deadline::after(now(), limit);
    }

    /// Makes the link on first use, so that a test can set up parts before.
    std::shared_ptr<HttpLink> open() {
        if (!link) {
            link = std::make_shared<HttpLink>(home(), parts, owner);
            loop.settle();
        }
        return link;
    }
    [[nodiscard]] LinkCall start(Request request,
                                 std::shared_ptr<CallListener> listener = nullptr) {
        return LinkCall{loop, *open(), home(), std::move(request), std::move(listener), style_};
    }
    CallResult run(Request request, std::shared_ptr<CallListener> listener = nullptr) {
        auto running = start(std::move(request), std::move(listener));
        loop.run_for(1h);
        return std::move(running.result());
    }

    resilience::testing::VirtualLoop loop;
    std::shared_ptr<FakeHttpClient> client = std::make_shared<FakeHttpClient>(loop.timekeeper);
    std::shared_ptr<LinkRecorder> owner = std::make_shared<LinkRecorder>();
    HttpLinkDeps parts;
    std::shared_ptr<HttpLink> link;

private:
    CallStyle style_ = CallStyle::coroutine;
};

inline Request tool_call(std::string name = "echo") {
    return {.method = "tools/call",
            .params_members = "\"name\":\"" + name + "\",\"arguments\":{}",
            .name = std::move(name)};
}

}  // namespace holdfast::downstream::testing
