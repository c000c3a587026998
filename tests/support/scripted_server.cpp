#include "support/scripted_server.hpp"

#include <algorithm>
#include <array>
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/buffer.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>
#include <exception>
#include <optional>
#include <string_view>
#include <utility>

namespace holdfast::test {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
constexpr auto kAsTuple = asio::as_tuple(asio::use_awaitable);

struct Connection {
    explicit Connection(tcp::socket accepted) : socket(std::move(accepted)) {}

    void close() {
        boost::system::error_code ignored;
        socket.close(ignored);
    }

    tcp::socket socket;
    std::size_t unanswered_count = 0;
};
using SharedConnection = std::shared_ptr<Connection>;

// Returns the size of the first request in the bytes; nothing if it is not complete.
std::optional<std::size_t> request_size(std::string_view bytes) {
    constexpr std::string_view kLength = "Content-Length: ";
    const std::size_t head_end = bytes.find("\r\n\r\n");
    if (head_end == std::string_view::npos) {
        return std::nullopt;
    }
    const std::size_t length = bytes.substr(0, head_end).find(kLength);
    const std::size_t body_bytes =
        length == std::string_view::npos
            ? 0
            : std::stoul(std::string{bytes.substr(length + kLength.size(), 20)});
    const std::size_t size_bytes = head_end + 4 + body_bytes;
    return bytes.size() < size_bytes ? std::nullopt : std::optional{size_bytes};
}

}  // namespace

struct ScriptedServer::State {
    explicit State(asio::io_context& context)
        : acceptor(context, {asio::ip::address_v4::loopback(), 0}),
          changed(context, asio::steady_timer::time_point::max()) {}

    void announce() { changed.cancel(); }

    std::optional<ScriptedAnswer> take_answer() {
        if (!script.empty()) {
            ScriptedAnswer next = std::move(script.front());
            script.pop_front();
            return next;
        }
        return usual;
    }

    tcp::acceptor acceptor;
    // never fires; cancelled to wake coroutines that wait for an answer
    asio::steady_timer changed;
    std::deque<ScriptedAnswer> script;
    std::optional<ScriptedAnswer> usual;
    std::vector<std::string> requests;
    std::vector<SharedConnection> connections;
    std::size_t accepted_count = 0;
    bool is_over = false;
};

namespace {

template <class State>
asio::awaitable<bool> write_answer(std::shared_ptr<State> state, SharedConnection connection,
                                   ScriptedAnswer answer) {
    std::string_view rest = answer.bytes;
    const std::size_t piece_bytes = answer.piece_bytes == 0 ? rest.size() : answer.piece_bytes;
    while (!rest.empty()) {
        const std::string_view piece = rest.substr(0, piece_bytes);
        rest.remove_prefix(piece.size());
        const auto [error, written] =
            co_await asio::async_write(connection->socket, asio::buffer(piece), kAsTuple);
        if (error) {
            co_return false;
        }
        // Lets the reader see the pieces one by one.
        co_await asio::post(state->acceptor.get_executor(), asio::use_awaitable);
    }
    co_return !answer.closes;
}

template <class State>
asio::awaitable<void> write_answers(std::shared_ptr<State> state, SharedConnection connection) {
    bool continues = true;
    while (continues && connection->socket.is_open()) {
        const bool has_answer = !state->script.empty() || state->usual;
        if (connection->unanswered_count == 0 || !has_answer) {
            std::ignore = co_await state->changed.async_wait(kAsTuple);
            continue;
        }
        --connection->unanswered_count;
        continues = co_await write_answer(state, connection, *state->take_answer());
    }
    connection->close();
}

template <class State>
asio::awaitable<void> read_requests(std::shared_ptr<State> state, SharedConnection connection) {
    std::string received;
    bool continues = true;
    while (continues) {
        std::array<char, 65536> bytes{};
        const auto [error, count] =
            co_await connection->socket.async_read_some(asio::buffer(bytes), kAsTuple);
        continues = !error;
        received.append(bytes.data(), count);
        while (const auto size_bytes = request_size(received)) {
            state->requests.push_back(received.substr(0, *size_bytes));
            received.erase(0, *size_bytes);
            ++connection->unanswered_count;
        }
        state->announce();
    }
    connection->close();
    std::erase(state->connections, connection);
}

template <class State>
asio::awaitable<void> accept_all(std::shared_ptr<State> state) {
    while (!state->is_over) {
        auto [error, socket] = co_await state->acceptor.async_accept(kAsTuple);
        if (error) {
            co_return;
        }
        socket.set_option(tcp::no_delay{true});
        ++state->accepted_count;
        const auto connection = std::make_shared<Connection>(std::move(socket));
        state->connections.push_back(connection);
        const auto executor = state->acceptor.get_executor();
        const auto ignore = [](const std::exception_ptr&) {};
        asio::co_spawn(executor, read_requests(state, connection), ignore);
        asio::co_spawn(executor, write_answers(state, connection), ignore);
    }
}

}  // namespace

ScriptedServer::ScriptedServer(asio::io_context& context)
    : state_(std::make_shared<State>(context)) {
    asio::co_spawn(context, accept_all(state_), [](const std::exception_ptr&) {});
}

ScriptedServer::~ScriptedServer() {
    state_->is_over = true;
    state_->acceptor.close();
    close_connections();
}

void ScriptedServer::answer(ScriptedAnswer answer) {
    state_->script.push_back(std::move(answer));
    state_->announce();
}

void ScriptedServer::answer_all(std::string bytes) {
    state_->usual = ScriptedAnswer{.bytes = std::move(bytes)};
    state_->announce();
}

void ScriptedServer::close_connections() {
    for (const SharedConnection& connection : state_->connections) {
        connection->close();
    }
    state_->announce();
}

std::uint16_t ScriptedServer::port() const {
    return state_->acceptor.local_endpoint().port();
}

std::string ScriptedServer::url(const std::string& path) const {
    return "http://127.0.0.1:" + std::to_string(port()) + path;
}

const std::vector<std::string>& ScriptedServer::requests() const {
    return state_->requests;
}

std::size_t ScriptedServer::accepted_count() const {
    return state_->accepted_count;
}

std::size_t ScriptedServer::open_count() const {
    return state_->connections.size();
}

std::string http_answer(const std::string& body, const std::string& headers) {
    return "HTTP/1.1 200 OK\r\n" + headers + "Content-Length: " + std::to_string(body.size()) +
           "\r\n\r\n" + body;
}

}  // namespace holdfast::test
