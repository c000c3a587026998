#include <utility>

#include "net/http/client/client_response.hpp"

// The server may close an idle connection at any moment, also just before a request is written to
// it. As long as nothing was written, the request is sent again on a new connection.

namespace holdfast::net {

namespace asio = boost::asio;

asio::awaitable<NetResult<bool>> ClientResponse::sent_again(resilience::Deadline deadline) {
    may_be_stale_ = false;
    const auto stale = std::exchange(connection_, nullptr);
    stale->close();
    // Its own slot is free, so no other loop has to give one up.
    auto opened = co_await pool_->open(deadline, [] {});
    if (!opened) {
        co_return failed(std::move(opened).error());
    }
    connection_ = *std::move(opened);
    connection_->start_request_of(*stale);
    co_return false;
}

}  // namespace holdfast::net
