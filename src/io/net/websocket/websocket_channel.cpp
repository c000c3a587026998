#include "net/websocket/websocket_channel.hpp"

#include <functional>
#include <memory>
#include <utility>

#include "net/websocket/websocket_session.hpp"

namespace holdfast::net {
namespace {

template <class Stream>
class WebSocketChannel final : public MessageChannel {
public:
    WebSocketChannel(const OwningLoop& loop, Stream stream, const WebSocketChannelOptions& options)
        : session_(std::make_shared<WebSocketSession<Stream>>(loop, std::move(stream), options)) {
        session_->start();
    }
    WebSocketChannel(const WebSocketChannel&) = delete;
    WebSocketChannel& operator=(const WebSocketChannel&) = delete;
    ~WebSocketChannel() override {
        session_->end({.code = NetErrc::closed, .message = "the WebSocket has been destroyed"});
    }

    NetResult<void> try_write(std::string_view json) override {
        return session_->try_write(json, false);
    }
    NetResult<void> try_write_urgent(std::string_view json) override {
        return session_->try_write(json, true);
    }
    boost::asio::awaitable<NetResult<std::string_view>> read() override { return session_->read(); }
    void be_patient_while(const std::function<bool()>& is_awaited) override {
        session_->be_patient_while(is_awaited);
    }
    Unwritten unwritten() const override { return session_->unwritten(); }
    boost::asio::awaitable<void> wait_for_room(Unwritten limit) override {
        return session_->wait_for_room(limit);
    }
    bool is_flushed() const override { return session_->is_flushed(); }
    void stop_reading() override { session_->stop_reading(); }
    void give_up(std::string_view words) override { session_->give_up(words); }
    boost::asio::awaitable<void> close() override { return session_->close({}); }
    boost::asio::awaitable<void> close_saying(std::string_view words) override {
        return session_->close(std::string{words});
    }

private:
    std::shared_ptr<WebSocketSession<Stream>> session_;  // shared with running operations
};

}  // namespace

std::unique_ptr<MessageChannel> make_websocket_channel(const OwningLoop& loop, TcpWebSocket stream,
                                                       const WebSocketChannelOptions& options) {
    return std::make_unique<WebSocketChannel<TcpWebSocket>>(loop, std::move(stream), options);
}

std::unique_ptr<MessageChannel> make_websocket_channel(const OwningLoop& loop, TlsWebSocket stream,
                                                       const WebSocketChannelOptions& options) {
    return std::make_unique<WebSocketChannel<TlsWebSocket>>(loop, std::move(stream), options);
}

}  // namespace holdfast::net
