#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/asio/cancellation_state.hpp>
#include <boost/asio/this_coro.hpp>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "downstream/link_opener.hpp"
#include "holdfast/resilience/asio/one_shot.hpp"
#include "support/gateway/answers.hpp"

namespace holdfast::test {

/// A request that a fake server has received. The test answers it, all on one loop.
class ServedCall final {
public:
    ServedCall(resilience::Timekeeper& timekeeper, downstream::Request sent,
               std::shared_ptr<downstream::CallListener> ear)
        : request(std::move(sent)), listener_(std::move(ear)), done_(timekeeper) {}

    void answer(downstream::CallResult result) {
        result_.emplace(std::move(result));
        done_.signal();
    }
    void notify(std::string method, std::string params) const {
        listener_->on_notification({.method = std::move(method), .params = std::move(params)});
    }
    /// Asks the agent and adds the answer to `replies`. A question without an answer adds the error
    /// that a link would send.
    void ask(std::string method, std::string params) {
        // Represents the question on the wire; a flag distinguishes it from an answer.
        struct OnWire {
            explicit OnWire(std::shared_ptr<std::vector<downstream::QuestionAnswer>> to)
                : replies(std::move(to)) {}
            OnWire(const OnWire&) = delete;
            OnWire& operator=(const OnWire&) = delete;
            ~OnWire() {
                if (!is_answered) {
                    replies->push_back({.is_error = true, .body = "dropped"});
                }
            }
            const std::shared_ptr<std::vector<downstream::QuestionAnswer>> replies;
            bool is_answered = false;
        };
        const auto wire = std::make_shared<OnWire>(replies);
        listener_->on_question({.method = std::move(method),
                                .params = std::move(params),
                                .answer = [wire](downstream::QuestionAnswer answer) {
                                    wire->is_answered = true;
                                    wire->replies->push_back(std::move(answer));
                                }});
    }

    static boost::asio::awaitable<downstream::CallResult> wait(std::shared_ptr<ServedCall> self) {
        const auto reason = co_await self->done_.wait_until(self->request.deadline.when());
        self->has_ended = true;
        if (self->result_) {
            co_return std::move(*self->result_);
        }
        self->is_cancelled = reason == resilience::WakeReason::cancelled;
        co_return downstream::CallFault{.kind = downstream::CallFault::Kind::cancelled,
                                        .message = "cancelled",
                                        .delivery = resilience::Delivery::sent};
    }

    const downstream::Request request;
    const std::shared_ptr<std::vector<downstream::QuestionAnswer>> replies =
        std::make_shared<std::vector<downstream::QuestionAnswer>>();
    bool is_cancelled = false;
    bool has_ended = false;

private:
    const std::shared_ptr<downstream::CallListener> listener_;
    resilience::OneShot done_;
    std::optional<downstream::CallResult> result_;
};

/// A server behind the gateway, controlled by the test: lists are answered from a table, all other
/// requests wait for the test. Shared by the test and the links.
struct FakeServer {
    downstream::Negotiated negotiated = {
        .capabilities = R"({"tools":{},"prompts":{},"resources":{"subscribe":true}})"};
    std::map<std::string, std::string, std::less<>> lists = {
        {"tools/list",
         R"({"tools":[{"name":"t","description":"d","inputSchema":{"type":"object"}},)"
         R"({"name":"safe","description":"d","inputSchema":{"type":"object"},)"
         R"("outputSchema":{"type":"object"},"annotations":{"readOnlyHint":true}}]})"},
        {"prompts/list", R"({"prompts":[{"name":"p","description":"d"}]})"},
        {"resources/list", R"({"resources":[{"uri":"a:1","name":"one"}]})"},
        {"resources/templates/list",
         R"({"resourceTemplates":[{"uriTemplate":"b:{x}","name":"two"}]})"},
    };
    std::vector<std::shared_ptr<ServedCall>> calls = {};
    std::vector<std::string> notified = {};
    std::vector<downstream::Interests> interests = {};
    std::weak_ptr<downstream::LinkListener> listener = {};
    bool is_down = false;
    resilience::TimePoint opens_at = {};  ///< Connecting takes until then.
    bool is_stuck = false;  ///< Requests that arrive now do not end when they are cancelled.

    [[nodiscard]] ServedCall& last() const { return *calls.at(calls.size() - 1); }
};

class FakeLink final : public downstream::Link {
public:
    explicit FakeLink(std::shared_ptr<FakeServer> server) : server_(std::move(server)) {}

    [[nodiscard]] const downstream::Negotiated& negotiated() const override {
        return server_->negotiated;
    }
    boost::asio::awaitable<downstream::CallResult> call(
        net::OwningLoop caller, downstream::Request request,
        std::shared_ptr<downstream::CallListener> listener) override {
        return run(server_, std::move(caller), std::move(request), std::move(listener));
    }
    void notify(std::string_view method, std::string /*params*/) override {
        server_->notified.emplace_back(method);
    }
    void set_interests(downstream::Interests interests) override {
        server_->interests.push_back(std::move(interests));
    }
    boost::asio::awaitable<void> close(downstream::CallFault why) override {
        why.delivery = resilience::Delivery::sent;
        for (const auto& call : server_->calls) {
            call->answer(why);
        }
        co_return;
    }

private:
    static boost::asio::awaitable<downstream::CallResult> run(
        std::shared_ptr<FakeServer> server, net::OwningLoop caller, downstream::Request request,
        std::shared_ptr<downstream::CallListener> listener) {
        if (const auto list = server->lists.find(request.method); list != server->lists.end()) {
            co_return legacy_result(list->second);
        }
        const auto call = std::make_shared<ServedCall>(*caller.timekeeper, std::move(request),
                                                       std::move(listener));
        server->calls.push_back(call);
        if (server->is_stuck) {
            co_await boost::asio::this_coro::reset_cancellation_state(
                boost::asio::disable_cancellation());
        }
        co_return co_await ServedCall::wait(call);
    }

    const std::shared_ptr<FakeServer> server_;
};

class FakeOpener final : public downstream::LinkOpener {
public:
    explicit FakeOpener(std::shared_ptr<FakeServer> server) : server_(std::move(server)) {}

    boost::asio::awaitable<
        resilience::Result<std::shared_ptr<downstream::Link>, downstream::CallFault>>
    open(net::OwningLoop home, downstream::LinkPurpose /*purpose*/,
         std::weak_ptr<downstream::LinkListener> listener,
         resilience::Deadline /*deadline*/) override {
        return run(server_, std::move(home), std::move(listener));
    }

private:
    static boost::asio::awaitable<
        resilience::Result<std::shared_ptr<downstream::Link>, downstream::CallFault>>
    run(std::shared_ptr<FakeServer> server, net::OwningLoop home,
        std::weak_ptr<downstream::LinkListener> listener) {
        if (home.timekeeper->now() < server->opens_at) {
            resilience::OneShot opened{*home.timekeeper};
            std::ignore = co_await opened.wait_until(server->opens_at);
        }
        if (server->is_down) {
            co_return downstream::CallFault{.kind = downstream::CallFault::Kind::not_connected,
                                            .message = "It is down."};
        }
        server->listener = std::move(listener);
        co_return std::shared_ptr<downstream::Link>{std::make_shared<FakeLink>(server)};
    }

    const std::shared_ptr<FakeServer> server_;
};

}  // namespace holdfast::test
