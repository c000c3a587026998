#pragma once

#include <algorithm>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/post.hpp>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "downstream/link_opener.hpp"
#include "downstream/tool_headers.hpp"
#include "holdfast/resilience/asio/one_shot.hpp"
#include "holdfast/resilience/synchronized.hpp"

namespace holdfast::downstream::testing {

[[nodiscard]] inline Answer answer_of(const std::string& body) {
    jsonrpc::PaddedText text{R"({"jsonrpc":"2.0","id":1,"result":)" + body + "}"};
    const std::size_t start = text.view().find(R"("result":)") + 9;
    const std::string_view view = text.view().substr(start, body.size());
    return {std::move(text), view, false};
}

[[nodiscard]] inline Answer error_of(int code, const std::string& message = "no") {
    const std::string body =
        R"({"code":)" + std::to_string(code) + R"(,"message":")" + message + "\"}";
    jsonrpc::PaddedText text{R"({"jsonrpc":"2.0","id":1,"error":)" + body + "}"};
    const std::size_t start = text.view().find(R"("error":)") + 8;
    const std::string_view view = text.view().substr(start, body.size());
    Answer answer{std::move(text), view, true};
    answer.error_code = code;
    return answer;
}

/// A call on a fake link that has no answer yet.
class PendingCall final : public std::enable_shared_from_this<PendingCall> {
public:
    PendingCall(net::OwningLoop loop, Request sent)
        : request(std::move(sent)), loop_(std::move(loop)), done_(*loop_.timekeeper) {}

    const Request request;

    void finish(CallResult result) {
        boost::asio::post(loop_.executor,
                          [self = shared_from_this(), result = std::move(result)]() mutable {
                              if (!self->result_) {
                                  self->result_.emplace(std::move(result));
                                  self->done_.signal();
                              }
                          });
    }

    static boost::asio::awaitable<CallResult> wait(std::shared_ptr<PendingCall> self) {
        const auto reason = co_await self->done_.wait_until(self->request.deadline.when());
        if (self->result_) {
            co_return std::move(*self->result_);
        }
        const auto kind = reason == resilience::WakeReason::time ? CallFault::Kind::timed_out
                                                                 : CallFault::Kind::cancelled;
        co_return CallFault{.kind = kind, .delivery = resilience::Delivery::sent};
    }

private:
    const net::OwningLoop loop_;
    resilience::OneShot done_;
    std::optional<CallResult> result_;
};

/// Answers a request at once, or leaves it pending.
using Answering = std::function<std::optional<CallResult>(const Request&)>;

/// A link without a wire. `call` may run on any loop.
class FakeLink final : public Link, public std::enable_shared_from_this<FakeLink> {
public:
    FakeLink(net::OwningLoop home, Negotiated negotiated, LinkPurpose opened_for,
             std::weak_ptr<LinkListener> ear, Answering answering)
        : purpose(std::move(opened_for)),
          listener(std::move(ear)),
          home_(std::move(home)),
          negotiated_(std::move(negotiated)),
          answering_(std::move(answering)) {}

    [[nodiscard]] const Negotiated& negotiated() const override { return negotiated_; }

    boost::asio::awaitable<CallResult> call(net::OwningLoop caller, Request request,
                                            std::shared_ptr<CallListener> /*listener*/) override {
        return run(shared_from_this(), std::move(caller), std::move(request));
    }
    void notify(std::string_view method, std::string /*params*/) override {
        notified.emplace_back(method);
    }
    void set_interests(Interests wanted) override { interests.push_back(std::move(wanted)); }
    void set_tool_headers(const std::shared_ptr<const ToolHeaderTable>& table) override {
        tool_headers = table;
    }
    boost::asio::awaitable<void> close(CallFault why) override {
        return run_close(shared_from_this(), std::move(why));
    }
    [[nodiscard]] std::vector<std::string> last_log_lines(std::size_t /*count*/) const override {
        return {"said by a link"};
    }

    /// The session or connection ends by itself; calls in flight end first.
    void lose(resilience::Delivery delivery = resilience::Delivery::sent) {
        if (end({.message = "It went away.", .delivery = delivery})) {
            if (const auto ear = listener.lock()) {
                ear->on_lost({.message = "It went away.", .delivery = delivery});
            }
        }
    }
    void tell(std::string method) {
        if (const auto ear = listener.lock()) {
            ear->on_notification({.method = std::move(method)});
        }
    }

    /// Number of requests sent on the link with this method.
    [[nodiscard]] std::size_t count(std::string_view method) const {
        return state_.with([&](const State& state) {
            return static_cast<std::size_t>(
                std::count_if(state.sent.begin(), state.sent.end(),
                              [&](const Request& request) { return request.method == method; }));
        });
    }
    [[nodiscard]] std::vector<Request> sent() const {
        return state_.with([](const State& state) { return state.sent; });
    }
    [[nodiscard]] std::vector<std::shared_ptr<PendingCall>> pending() const {
        return state_.with([](const State& state) { return state.pending; });
    }
    [[nodiscard]] bool is_over() const {
        return state_.with([](const State& state) { return state.is_over; });
    }

    const LinkPurpose purpose;
    const std::weak_ptr<LinkListener> listener;
    std::vector<std::string> notified;
    std::vector<Interests> interests;
    std::shared_ptr<const ToolHeaderTable> tool_headers;
    int closes = 0;
    resilience::Duration closing_takes{};

private:
    struct State {
        bool is_over = false;
        std::vector<Request> sent = {};
        std::vector<std::shared_ptr<PendingCall>> pending = {};
    };

    static boost::asio::awaitable<CallResult> run(std::shared_ptr<FakeLink> self,
                                                  net::OwningLoop caller, Request request) {
        const auto pending = std::make_shared<PendingCall>(std::move(caller), std::move(request));
        const bool is_open = self->state_.with([&](State& state) {
            if (!state.is_over) {
                state.sent.push_back(pending->request);
                state.pending.push_back(pending);
            }
            return !state.is_over;
        });
        if (!is_open) {
            co_return CallFault{.message = "The link has ended."};
        }
        if (auto result = self->answering_(pending->request)) {
            pending->finish(std::move(*result));
        }
        CallResult result = co_await PendingCall::wait(pending);
        self->state_.with([&](State& state) { std::erase(state.pending, pending); });
        co_return result;
    }

    static boost::asio::awaitable<void> run_close(std::shared_ptr<FakeLink> self, CallFault why) {
        ++self->closes;
        if (self->closing_takes > resilience::Duration::zero()) {
            resilience::OneShot work{*self->home_.timekeeper};
            co_await work.wait_until(self->home_.timekeeper->now() + self->closing_takes);
        }
        why.delivery = resilience::Delivery::sent;
        self->end(why);
    }

    bool end(const CallFault& why) {
        std::vector<std::shared_ptr<PendingCall>> left;
        const bool is_first = state_.with([&](State& state) {
            left = std::exchange(state.pending, {});
            return !std::exchange(state.is_over, true);
        });
        for (const auto& call : left) {
            call->finish(why);
        }
        return is_first;
    }

    const net::OwningLoop home_;
    const Negotiated negotiated_;
    const Answering answering_;
    resilience::Synchronized<State> state_;
};

/// The scripted outcome of one attempt to open a link.
struct OpenPlan {
    resilience::Duration takes = {};
    std::optional<CallFault> fault = std::nullopt;
    bool is_lost_at_once = false;
    std::function<ProcessActivity()> activity = {};  ///< Of the process behind the link.
};

/// The server behind a fake opener. Shared by the test and the opener.
struct FakeServer {
    Negotiated negotiated = {};
    std::function<OpenPlan(const LinkPurpose&)> plan = [](const LinkPurpose&) {
        return OpenPlan{};
    };
    Answering answering = [](const Request& request) -> std::optional<CallResult> {
        return request.method == "tools/call" ? std::nullopt
                                              : std::optional<CallResult>{answer_of("{}")};
    };
    std::vector<LinkPurpose> opens = {};
    std::vector<resilience::TimePoint> opened_at = {};
    /// Running attempts to open the shared link, and their maximum.
    int opening = 0;
    int most_opening = 0;
    std::vector<std::shared_ptr<FakeLink>> links = {};

    [[nodiscard]] FakeLink& last() const { return *links.back(); }
};

class FakeOpener final : public LinkOpener {
public:
    explicit FakeOpener(std::shared_ptr<FakeServer> server) : server_(std::move(server)) {}

    boost::asio::awaitable<resilience::Result<std::shared_ptr<Link>, CallFault>> open(
        net::OwningLoop home, LinkPurpose purpose, std::weak_ptr<LinkListener> listener,
        resilience::Deadline deadline) override {
        return run(server_, std::move(home), std::move(purpose), std::move(listener), deadline);
    }
    [[nodiscard]] std::vector<std::string> last_log_lines(std::size_t /*count*/) const override {
        return {"said before it was a link"};
    }

private:
    static boost::asio::awaitable<resilience::Result<std::shared_ptr<Link>, CallFault>> run(
        std::shared_ptr<FakeServer> server, net::OwningLoop home, LinkPurpose purpose,
        std::weak_ptr<LinkListener> listener, resilience::Deadline deadline) {
        const OpenPlan plan = server->plan(purpose);
        const auto begun = home.timekeeper->now();
        server->opens.push_back(purpose);
        server->opened_at.push_back(begun);
        server->most_opening = std::max(server->most_opening, ++server->opening);
        if (purpose.starting) {
            purpose.starting->activity = plan.activity;
        }
        auto reason = resilience::WakeReason::time;
        if (plan.takes > resilience::Duration::zero()) {
            resilience::OneShot work{*home.timekeeper};
            reason = co_await work.wait_until(std::min(begun + plan.takes, deadline.when()));
        }
        --server->opening;
        if (reason == resilience::WakeReason::cancelled) {
            co_return CallFault{.kind = CallFault::Kind::cancelled};
        }
        if (deadline.is_expired(home.timekeeper->now())) {
            co_return CallFault{.kind = CallFault::Kind::timed_out, .message = "It is silent."};
        }
        if (plan.fault) {
            co_return *plan.fault;
        }
        auto link = std::make_shared<FakeLink>(home, server->negotiated, std::move(purpose),
                                               std::move(listener), server->answering);
        server->links.push_back(link);
        if (plan.is_lost_at_once) {
            link->lose();
        }
        co_return std::shared_ptr<Link>{link};
    }

    const std::shared_ptr<FakeServer> server_;
};

}  // namespace holdfast::downstream::testing
