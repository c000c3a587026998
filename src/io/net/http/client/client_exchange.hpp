#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <cstddef>
#include <memory>

#include "net/http/client/client_connection.hpp"
#include "net/http/client/client_response.hpp"
#include "net/http_client.hpp"

namespace holdfast::net {

/// Waits for the head of an answer without a coroutine, and reports it to a listener. Whatever is
/// not simply the next bytes of an answer is left to `ClientResponse::answered`: a lost connection,
/// or an old one that has to be replaced.
///
/// The connection owns this while it waits, and the coroutine afterwards.
///
/// Thread-safety: none; belongs to its loop.
class ClientExchange final : public HttpExchangeInFlight,
                             public NewsListener,
                             public std::enable_shared_from_this<ClientExchange> {
public:
    ClientExchange(std::unique_ptr<ClientResponse> response,
                   std::shared_ptr<HttpAnswerListener> listener);

    /// Requires a connection whose request has been started. Never reports before it returns.
    void start();
    void cancel() override;

private:
    void on_news() override;
    void wait_in_coroutine();
    static boost::asio::awaitable<void> run(std::shared_ptr<ClientExchange> self);
    void report(HttpClientAnswer answer);

    std::unique_ptr<ClientResponse> response_;  // null in the coroutine, and after the answer
    std::shared_ptr<HttpAnswerListener>
        listener_;  // shared with nobody else; null after the answer
    HeadFinder finder_;
    std::size_t known_bytes_ = 0;                                     // read before the wait
    std::unique_ptr<boost::asio::cancellation_signal> cancellation_;  // of the coroutine
};

}  // namespace holdfast::net
