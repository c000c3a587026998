#pragma once

#include <gtest/gtest.h>

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/co_spawn.hpp>
#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "asio/virtual_loop.hpp"
#include "downstream/link.hpp"

namespace holdfast::downstream::testing {

/// How a test sends a request: both must behave alike.
enum class CallStyle : std::uint8_t { coroutine, observer };

inline std::string name_of_style(const ::testing::TestParamInfo<CallStyle>& info) {
    return info.param == CallStyle::coroutine ? "Awaited" : "Observed";
}

/// Runs every test in both styles.
class CallStyleTest : public ::testing::TestWithParam<CallStyle> {};

/// A call on a link, with its result and a way to cancel it.
class LinkCall final {
public:
    /// A request with a deadline is always awaited: observed ones have none. So are the gateway's
    /// own requests, which have neither agent nor listener.
    LinkCall(resilience::testing::VirtualLoop& loop, Link& link, net::OwningLoop caller,
             Request request, std::shared_ptr<CallListener> listener, CallStyle style)
        : probe_(std::make_shared<Probe>()) {
        probe_->listener = listener;
        const bool is_of_agent =
            listener != nullptr || request.agent != nullptr || request.method == "tools/call";
        if (style == CallStyle::observer && is_of_agent && request.deadline.is_never()) {
            const auto started = link.try_start(caller, request, probe_);
            EXPECT_FALSE(probe_->result) << "it ended within its start";
            started_ = started;
            if (started) {
                return;
            }
        }
        boost::asio::co_spawn(
            loop.context,
            keep(link.call(std::move(caller), std::move(request), std::move(listener)), probe_),
            boost::asio::bind_cancellation_slot(
                signal_->slot(), [signal = signal_](const std::exception_ptr& exception) {
                    EXPECT_FALSE(exception);
                }));
    }

    void cancel() {
        if (const auto started = started_.lock()) {
            const bool had_ended = has_ended();
            started->cancel();
            EXPECT_EQ(has_ended(), had_ended) << "it ended within its cancellation";
        }
        signal_->emit(boost::asio::cancellation_type::terminal);
    }
    [[nodiscard]] bool has_ended() const { return probe_->result.has_value(); }
    [[nodiscard]] CallResult& result() const { return probe_->result.value(); }
    [[nodiscard]] CallResult take() const { return std::move(probe_->result.value()); }

private:
    struct Probe final : CallObserver {
        void on_notification(Notification notification) override {
            EXPECT_FALSE(result) << "a notification after the end";
            if (listener) {
                listener->on_notification(std::move(notification));
            }
        }
        void on_question(Question question) override {
            EXPECT_FALSE(result) << "a question after the end";
            if (listener) {
                listener->on_question(std::move(question));
            }
        }
        void on_result(CallResult ended) override {
            EXPECT_FALSE(result) << "it ended twice";
            result.emplace(std::move(ended));
        }

        std::shared_ptr<CallListener> listener;
        std::optional<CallResult> result;
    };

    static boost::asio::awaitable<void> keep(boost::asio::awaitable<CallResult> work,
                                             std::shared_ptr<Probe> probe) {
        probe->on_result(co_await std::move(work));
    }

    std::shared_ptr<Probe> probe_;
    std::weak_ptr<StartedCall> started_;
    std::shared_ptr<boost::asio::cancellation_signal> signal_ =
        std::make_shared<boost::asio::cancellation_signal>();
};

}  // namespace holdfast::downstream::testing
