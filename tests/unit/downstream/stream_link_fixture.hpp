#pragma once

#include <gtest/gtest.h>

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/co_spawn.hpp>
#include <chrono>
#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "asio/virtual_loop.hpp"
#include "downstream/stream/stream_link.hpp"
#include "link_call.hpp"
#include "support/memory_channel.hpp"

namespace holdfast::downstream {

using namespace std::chrono_literals;

/// Work on a loop, with its result and a way to cancel it.
template <class T>
class Running {
public:
    Running(resilience::testing::VirtualLoop& loop, boost::asio::awaitable<T> work) {
        boost::asio::co_spawn(loop.context, keep(std::move(work), result_),
                              boost::asio::bind_cancellation_slot(
                                  signal_->slot(), [signal = signal_, result = result_](
                                                       const std::exception_ptr& exception) {
                                      EXPECT_FALSE(exception);
                                  }));
    }

    void cancel() { signal_->emit(boost::asio::cancellation_type::terminal); }
    [[nodiscard]] bool has_ended() const { return result_->has_value(); }
    [[nodiscard]] const T& result() const { return result_->value(); }
    [[nodiscard]] T take() { return std::move(result_->value()); }

private:
    static boost::asio::awaitable<void> keep(boost::asio::awaitable<T> work,
                                             std::shared_ptr<std::optional<T>> result) {
        T value = co_await std::move(work);
        EXPECT_FALSE(result->has_value()) << "it ended twice";
        result->emplace(std::move(value));
    }

    std::shared_ptr<boost::asio::cancellation_signal> signal_ =
        std::make_shared<boost::asio::cancellation_signal>();
    std::shared_ptr<std::optional<T>> result_ = std::make_shared<std::optional<T>>();
};

class RecordingCallListener final : public CallListener {
public:
    void on_notification(Notification notification) override {
        notifications.push_back(std::move(notification));
    }
    void on_question(Question question) override { questions.push_back(std::move(question)); }

    std::vector<Notification> notifications;
    std::vector<Question> questions;
};

class RecordingLinkListener final : public LinkListener {
public:
    void on_notification(Notification notification) override {
        notifications.push_back(std::move(notification));
    }
    void on_question(Question question) override { questions.push_back(std::move(question)); }
    void on_junk(const JunkNotice& notice) override { junk.push_back(notice); }
    void on_lost(CallFault why) override { losses.push_back(std::move(why)); }

    std::vector<Notification> notifications;
    std::vector<Question> questions;
    std::vector<JunkNotice> junk;
    std::vector<CallFault> losses;
};

/// A link in virtual time; the test is its peer.
class StreamLinkFixture : public ::testing::TestWithParam<testing::CallStyle> {
protected:
    using Call = testing::LinkCall;

    ~StreamLinkFixture() override {
        link.reset();
        loop.settle();
    }

    void open(mcp::Revision revision, const StreamLinkOptions& options = {},
              std::size_t max_messages = 256) {
        auto channels = test::make_memory_channels(home(), max_messages);
        peer = std::move(channels.far);
        link = StreamLink::make(home(), std::move(channels.near), options);
        link->serve({.revision = revision}, listener);
        loop.settle();
        if (mcp::era_of(revision) == mcp::Era::legacy) {
            EXPECT_EQ(sent(), R"({"jsonrpc":"2.0","method":"notifications/initialized"})");
        }
    }
    void open_legacy(const StreamLinkOptions& options = {}) { open(mcp::kNewestLegacy, options); }
    void open_modern() { open(mcp::kNewestModern); }

    [[nodiscard]] net::OwningLoop home() { return {loop.context.get_executor(), &loop.timekeeper}; }
    [[nodiscard]] resilience::Deadline in(resilience::Duration wait) const {
        return resilience::Deadline::after(loop.timekeeper.now(), wait);
    }

    /// Starts a call and lets the link write it.
    Call call(Request request, std::shared_ptr<CallListener> call_listener = nullptr) {
        Call started{loop, *link, home(), std::move(request), std::move(call_listener), GetParam()};
        loop.settle();
        return started;
    }
    /// Like `call`, but discards the messages sent for it.
    Call quiet_call(Request request, std::shared_ptr<CallListener> call_listener = nullptr) {
        Call started = call(std::move(request), std::move(call_listener));
        EXPECT_NE(sent(), "");
        return started;
    }
    static Request tool_call() {
        return {.method = "tools/call", .params_members = R"("name":"x")"};
    }
    static Request call_of(const std::string& key, bool is_session = true) {
        Request request = tool_call();
        request.agent =
            std::make_shared<AgentIdentity>(AgentIdentity{.key = key, .is_session = is_session});
        return request;
    }

    /// Returns the next message that the link sent; may be empty.
    std::string sent() { return peer->try_read().value_or(""); }
    void say(std::string_view json) {
        EXPECT_TRUE(peer->try_write(json));
        loop.settle();
    }

    resilience::testing::VirtualLoop loop;
    std::shared_ptr<RecordingLinkListener> listener = std::make_shared<RecordingLinkListener>();
    std::unique_ptr<test::MemoryChannel> peer;
    std::shared_ptr<StreamLink> link;
};

}  // namespace holdfast::downstream
