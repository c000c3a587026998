#pragma once

#include <memory>
#include <vector>

#include "net/detail/http_connection.hpp"

namespace holdfast::net::detail {

/// The answers that are given while a loop works off what is ready. They are sent one after the
/// other at the end of it: a client that waits for several is woken once, and waking is the dearest
/// part of a short message. It lives until they are sent, or until its loop goes.
///
/// Thread-safety: none; belongs to its loop.
class HttpTurn final {
public:
    /// The turn under way, which begins with the first who asks.
    [[nodiscard]] static HttpTurn& of(const std::shared_ptr<HttpLoop>& loop);

    explicit HttpTurn(std::shared_ptr<HttpLoop> loop);
    HttpTurn(const HttpTurn&) = delete;
    HttpTurn& operator=(const HttpTurn&) = delete;
    ~HttpTurn();

    void add(std::shared_ptr<HttpConnection> connection);

private:
    void end();

    const std::shared_ptr<HttpLoop> loop_;
    std::vector<std::shared_ptr<HttpConnection>> unsent_;
};

}  // namespace holdfast::net::detail
