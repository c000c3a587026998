#pragma once

#include <boost/asio/awaitable.hpp>
#include <memory>
#include <string>

#include "net/buffer_budget.hpp"
#include "net/http/client/client_pool.hpp"
#include "net/http/client/http_response_head.hpp"
#include "net/http/wire/http_body_decoder.hpp"
#include "net/http_client.hpp"

namespace holdfast::net {

/// An exchange after the request has been written. Owns the connection until the body has been
/// read; afterwards only the head is left, which is its own copy.
///
/// Thread-safety: none; belongs to its loop.
class ClientResponse final : public HttpClientResponse {
public:
    /// The server may have closed a connection that `may_be_stale`: if it ends before anything is
    /// written, the request is sent again on another one.
    ClientResponse(std::shared_ptr<ClientPool> pool, std::shared_ptr<ClientConnection> connection,
                   bool may_be_stale);
    ClientResponse(const ClientResponse&) = delete;
    ClientResponse& operator=(const ClientResponse&) = delete;
    ~ClientResponse() override;

    /// Reads the head. An error says whether the request may have arrived. `news_after`: there was
    /// something new after that many unread bytes; nothing if that is still to be awaited.
    [[nodiscard]] static boost::asio::awaitable<HttpClientAnswer> answered(
        std::unique_ptr<ClientResponse> self, resilience::Deadline deadline,
        std::optional<std::size_t> news_after = std::nullopt);

    // For a caller that is notified instead of waiting in `answered`.
    /// Requires that the head has not been taken.
    [[nodiscard]] ClientConnection& connection() const { return *connection_; }
    /// Returns false if more bytes are needed. Closes the connection on errors.
    [[nodiscard]] NetResult<bool> try_take_head(HeadFinder& finder);
    /// Closes the connection. Returns the same error.
    NetError failed(NetError error);
    [[nodiscard]] const OwningLoop& loop() const { return pool_->loop(); }
    [[nodiscard]] std::size_t max_head_bytes() const {
        return pool_->origin().options.max_head_bytes;
    }

    [[nodiscard]] int status() const override { return head_.status; }
    [[nodiscard]] const HttpHeaders& headers() const override { return head_.headers; }
    [[nodiscard]] boost::asio::awaitable<NetResult<std::string>> read_all(
        std::size_t max_bytes, resilience::Deadline deadline) override;
    [[nodiscard]] std::optional<NetResult<std::string>> body_at_hand(
        std::size_t max_bytes) override;
    [[nodiscard]] boost::asio::awaitable<NetResult<std::string_view>> read_some(
        resilience::Deadline deadline) override;

private:
    /// Sends the request on a new connection. Returns false, because everything is still to be
    /// read.
    [[nodiscard]] boost::asio::awaitable<NetResult<bool>> sent_again(resilience::Deadline deadline);
    [[nodiscard]] NetResult<bool> append_at_hand(std::size_t max_bytes);
    [[nodiscard]] boost::asio::awaitable<NetResult<bool>> append_rest(
        std::size_t max_bytes, resilience::Deadline deadline);
    [[nodiscard]] std::string taken_body();
    /// Like `read_some`, for a coroutine that has disabled exceptions on cancellation.
    [[nodiscard]] boost::asio::awaitable<NetResult<std::string_view>> next_piece(
        resilience::Deadline deadline);
    /// Returns a received piece, or nothing if more must be read or the body has ended.
    [[nodiscard]] NetResult<std::string_view> piece_at_hand();
    void on_body_end();
    [[nodiscard]] NetError hung_up();

    const std::shared_ptr<ClientPool> pool_;
    std::shared_ptr<ClientConnection> connection_;  // empty after it has been returned
    std::string head_text_;
    HttpResponseHead head_;  // views into `head_text_`
    HttpBodyDecoder decoder_;
    std::optional<NetError> failure_;
    std::string body_;  // what `read_all` has read so far
    BufferShare body_share_;
    std::size_t interim_count_ = 0;
    bool may_be_stale_;
};

}  // namespace holdfast::net
