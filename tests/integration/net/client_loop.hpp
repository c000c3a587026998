#pragma once

#include <gtest/gtest.h>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <chrono>
#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "holdfast/resilience/asio/loop_timekeeper.hpp"
#include "holdfast/resilience/deadline.hpp"
#include "net/http_client.hpp"
#include "net/loop.hpp"

namespace holdfast::net {

using namespace std::chrono_literals;

/// A coroutine running on the loop, and its result.
template <class T>
struct Task {
    std::optional<T> result;
    boost::asio::cancellation_signal cancel;
};

template <class T>
boost::asio::awaitable<void> keep_result_of(boost::asio::awaitable<T> work,
                                            std::shared_ptr<Task<T>> task) {
    task->result.emplace(co_await std::move(work));
}

/// One loop in real time, driven by the test; it never waits longer than a generous limit.
class ClientLoop {
public:
    ClientLoop() : timekeeper_(context_.get_executor()) {}

    [[nodiscard]] boost::asio::io_context& context() { return context_; }
    [[nodiscard]] OwningLoop loop() { return {context_.get_executor(), &timekeeper_}; }
    [[nodiscard]] resilience::Deadline within(resilience::Duration limit) {
        return resilience::Deadline::after(timekeeper_.now(), limit);
    }

    template <class T>
    std::shared_ptr<Task<T>> start(boost::asio::awaitable<T> work) {
        auto task = std::make_shared<Task<T>>();
        boost::asio::co_spawn(context_, keep_result_of(std::move(work), task),
                              boost::asio::bind_cancellation_slot(
                                  task->cancel.slot(), [task](const std::exception_ptr& thrown) {
                                      EXPECT_EQ(thrown, nullptr) << "a coroutine threw";
                                  }));
        return task;
    }

    template <class Condition>
    [[nodiscard]] bool run_until(Condition condition) {
        const auto limit = std::chrono::steady_clock::now() + 20s;
        context_.restart();
        while (!condition()) {
            if (std::chrono::steady_clock::now() > limit) {
                return false;
            }
            context_.run_one_for(100ms);
            context_.restart();
        }
        return true;
    }

    template <class T>
    T finish(const std::shared_ptr<Task<T>>& task) {
        EXPECT_TRUE(run_until([&] { return task->result.has_value(); })) << "it never ended";
        return std::move(task->result.value());
    }
    template <class T>
    T run(boost::asio::awaitable<T> work) {
        return finish(start(std::move(work)));
    }
    /// Runs everything that is ready.
    void settle() {
        do {
            context_.restart();
        } while (context_.poll() != 0);
    }

private:
    boost::asio::io_context context_{1};
    resilience::LoopTimekeeper timekeeper_;
};

/// The result of a request.
struct Fetched {
    int status = 0;  ///< 0 if there was no answer.
    std::string body = {};
    std::optional<NetErrc> error = {};
    std::string message = {};
    bool may_have_arrived = true;
};

inline boost::asio::awaitable<Fetched> fetch(std::shared_ptr<HttpClient> client, OwningLoop loop,
                                             HttpClientRequest request,
                                             resilience::Deadline deadline) {
    auto answer = co_await client->send(loop, std::move(request), deadline);
    if (!answer) {
        co_return Fetched{.error = answer.error().error.code,
                          .message = answer.error().error.message,
                          .may_have_arrived = answer.error().may_have_arrived};
    }
    constexpr std::size_t kMaxBytes = std::size_t{64} * 1024 * 1024;
    auto body = co_await (*answer)->read_all(kMaxBytes, deadline);
    if (!body) {
        co_return Fetched{.status = (*answer)->status(),
                          .error = body.error().code,
                          .message = body.error().message};
    }
    EXPECT_GE(body->capacity(), body->size() + HttpRequest::kBodyPadding);
    co_return Fetched{.status = (*answer)->status(), .body = *std::move(body)};
}

/// Follows a request without a coroutine until the head of its answer is there.
class ObservedRequest final : public HttpAnswerListener,
                              public std::enable_shared_from_this<ObservedRequest> {
public:
    ObservedRequest(OwningLoop loop, std::size_t max_body_bytes)
        : loop_(std::move(loop)), max_body_bytes_(max_body_bytes) {}

    /// Returns false, and does nothing, if the client cannot send it at once.
    [[nodiscard]] bool try_start(HttpClient& client, HttpClientRequest& request) {
        exchange_ = client.try_start(loop_, request, shared_from_this());
        EXPECT_FALSE(task->result) << "it ended within its start";
        return exchange_ != nullptr;
    }
    void cancel() { exchange_->cancel(); }
    [[nodiscard]] bool had_body_at_hand() const { return had_body_at_hand_; }

    void on_answer(HttpClientAnswer answer) override {
        EXPECT_NE(exchange_, nullptr) << "it was answered twice";
        exchange_ = nullptr;
        if (!answer) {
            task->result = Fetched{.error = answer.error().error.code,
                                   .message = answer.error().error.message,
                                   .may_have_arrived = answer.error().may_have_arrived};
            return;
        }
        response_ = *std::move(answer);
        if (auto body = response_->body_at_hand(max_body_bytes_)) {
            had_body_at_hand_ = true;
            finish(*std::move(body));
            return;
        }
        boost::asio::co_spawn(loop_.executor, read_rest(shared_from_this()),
                              [](const std::exception_ptr& thrown) { EXPECT_EQ(thrown, nullptr); });
    }

    const std::shared_ptr<Task<Fetched>> task = std::make_shared<Task<Fetched>>();

private:
    static boost::asio::awaitable<void> read_rest(std::shared_ptr<ObservedRequest> self) {
        self->finish(co_await self->response_->read_all(self->max_body_bytes_,
                                                        resilience::Deadline::never()));
    }
    void finish(NetResult<std::string> body) {
        const int status = response_->status();
        task->result = body ? Fetched{.status = status, .body = *std::move(body)}
                            : Fetched{.status = status,
                                      .error = body.error().code,
                                      .message = body.error().message};
        response_.reset();
    }

    const OwningLoop loop_;
    const std::size_t max_body_bytes_;
    HttpExchangeInFlight* exchange_ = nullptr;
    std::unique_ptr<HttpClientResponse> response_;
    bool had_body_at_hand_ = false;
};

inline std::shared_ptr<HttpClient> client_of(const std::string& url,
                                             const HttpClientOptions& options = {}) {
    const auto parsed = parsed_url(url);
    EXPECT_TRUE(parsed);
    auto client = make_http_client(*parsed, options);
    EXPECT_TRUE(client) << (client ? "" : client.error().message);
    return *std::move(client);
}

}  // namespace holdfast::net
