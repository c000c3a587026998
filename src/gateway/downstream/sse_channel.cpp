#include "downstream/sse_channel.hpp"

#include <utility>

#include "downstream/stream/sse_session.hpp"

namespace holdfast::downstream {
namespace {

namespace asio = boost::asio;
using net::NetErrc;
using net::NetError;
using net::NetResult;
using Channel = std::unique_ptr<net::MessageChannel>;

asio::awaitable<NetResult<std::string_view>> read_from(SseSession::Owner session) {
    while (session->unread.empty()) {
        if (session->ended) {
            co_return *session->ended;
        }
        const auto reason = co_await session->news.wait_until(resilience::TimePoint::max());
        if (reason == resilience::WakeReason::cancelled) {
            co_return NetError{.code = NetErrc::cancelled, .message = "the read was cancelled"};
        }
    }
    auto message = std::move(session->unread.front());
    session->unread.pop_front();
    session->room.signal();
    if (!message) {
        co_return std::move(message).error();
    }
    session->last_read = std::move(*message);
    co_return std::string_view{session->last_read};
}

asio::awaitable<void> close_session(SseSession::Owner session) {
    const auto deadline = session->within(session->options.close_wait);
    auto reason = resilience::WakeReason::signalled;
    while (!session->ended && reason == resilience::WakeReason::signalled &&
           (session->is_posting || !session->queue.is_empty())) {
        reason = co_await session->all_sent.wait_until(deadline.when());
    }
    session->end({.code = NetErrc::closed, .message = "the channel was closed"});
}

class SseChannel final : public net::MessageChannel {
public:
    explicit SseChannel(SseSession::Owner session) : session_(std::move(session)) {}
    ~SseChannel() override {
        session_->unread.clear();
        session_->end({.code = NetErrc::closed, .message = "the channel was closed"});
    }

    [[nodiscard]] NetResult<void> try_write(std::string_view json) override {
        return pushed(session_->ended ? NetResult<void>{*session_->ended}
                                      : session_->queue.try_push(std::string{json}));
    }
    [[nodiscard]] NetResult<void> try_write_urgent(std::string_view json) override {
        return pushed(session_->ended ? NetResult<void>{*session_->ended}
                                      : session_->queue.try_push_urgent(std::string{json}));
    }
    [[nodiscard]] asio::awaitable<NetResult<std::string_view>> read() override {
        return read_from(session_);
    }
    [[nodiscard]] asio::awaitable<void> close() override { return close_session(session_); }

private:
    NetResult<void> pushed(NetResult<void> result) {
        if (result) {
            session_->work.signal();
        }
        return result;
    }

    const SseSession::Owner session_;
};

}  // namespace

asio::awaitable<NetResult<Channel>> open_sse_channel(net::OwningLoop loop, SseTarget target,
                                                     SseChannelOptions options,
                                                     resilience::Deadline deadline) {
    const auto session = std::make_shared<SseSession>(std::move(loop), std::move(target), options);
    const auto opened = co_await SseSession::open(session, deadline);
    if (!opened) {
        co_return opened.error();
    }
    SseSession::serve(session);
    co_return Channel{std::make_unique<SseChannel>(session)};
}

ChannelSource make_sse_source(SseTarget target, SseChannelOptions options) {
    return
        [target = std::move(target), options](net::OwningLoop loop, resilience::Deadline deadline) {
            return open_sse_channel(std::move(loop), target, options, deadline);
        };
}

}  // namespace holdfast::downstream
