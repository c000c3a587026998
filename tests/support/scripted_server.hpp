#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <vector>

namespace holdfast::test {

/// What the server does with one request.
struct ScriptedAnswer {
    std::string bytes = {};
    bool closes = false;          ///< After the bytes.
    std::size_t piece_bytes = 0;  ///< Written in pieces of this size; 0 = all at once.
};

/// A server on a loopback port that only knows where an HTTP request ends. It answers with the
/// bytes of its script, in order over all connections, and holds a request while the script is
/// empty.
///
/// Thread-safety: none; belongs to its loop.
class ScriptedServer final {
public:
    explicit ScriptedServer(boost::asio::io_context& context);
    ScriptedServer(const ScriptedServer&) = delete;
    ScriptedServer& operator=(const ScriptedServer&) = delete;
    ~ScriptedServer();

    void answer(ScriptedAnswer answer);
    void answer(std::string bytes) { answer(ScriptedAnswer{.bytes = std::move(bytes)}); }
    /// Sets the answer to all requests for which the script has none.
    void answer_all(std::string bytes);
    void close_connections();

    [[nodiscard]] std::uint16_t port() const;
    [[nodiscard]] std::string url(const std::string& path = "/") const;
    /// The requests as received, in the order of their ends.
    [[nodiscard]] const std::vector<std::string>& requests() const;
    [[nodiscard]] std::size_t accepted_count() const;
    [[nodiscard]] std::size_t open_count() const;

private:
    struct State;
    std::shared_ptr<State> state_;  // shared with the coroutines that serve the connections
};

/// An answer with a length.
[[nodiscard]] std::string http_answer(const std::string& body, const std::string& headers = "");

}  // namespace holdfast::test
