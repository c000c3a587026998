// An MCP server for tests: see options.hpp for its arguments. Everything besides MCP is written to
// standard error, one line each:
//
//   fixture: listening on <URL>
//   cancelled <id of the request>

#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <memory>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/signal_set.hpp>

#include "net/event_loops.hpp"
#include "net/http_server.hpp"
#include "support/fixture_server/channel_serving.hpp"
#include "support/fixture_server/options.hpp"
#include "support/fixture_server/server.hpp"
#include "support/fixture_server/sse_http.hpp"
#include "support/fixture_server/stdio_channel.hpp"
#include "support/fixture_server/streamable_http.hpp"
#include "support/fixture_server/websocket_http.hpp"

namespace holdfast::fixture {
namespace {

namespace asio = boost::asio;

void print_error(const std::string& line) {
    std::ignore = std::fputs((line + "\n").c_str(), stderr);  // there is no other output
}

/// The handler of an HTTP transport and the URL that reaches it.
struct HttpFront {
    std::shared_ptr<net::HttpHandler> handler = nullptr;
    std::string scheme = "http";
    std::string path = {};
};

HttpFront front_of(FixtureServer& server, const FixtureOptions& options) {
    switch (options.transport) {
        case Transport::sse:
            return {.handler = std::make_shared<SseHttp>(server), .path = "/sse"};
        case Transport::websocket:
            return {
                .handler = std::make_shared<WebSocketHttp>(server), .scheme = "ws", .path = "/ws"};
        case Transport::http:
        case Transport::stdio:
            break;
    }
    return {.handler = std::make_shared<StreamableHttp>(server, options.http), .path = "/mcp"};
}

asio::awaitable<void> serve_stdio(FixtureServer* server, net::EventLoops* loops, bool ignores_end) {
    const auto loop = loops->all().front().executor;
    co_await serve_channel(server, std::make_shared<StdioChannel>(loop));
    if (!ignores_end) {
        loops->stop();
    }
}

int serve_http(net::EventLoops& loops, FixtureServer& server, const FixtureOptions& options) {
    const HttpFront front = front_of(server, options);
    const net::HttpServerOptions http{.address = options.address,
                                      .port = options.port,
                                      .max_body_bytes = std::size_t{64} * 1024 * 1024,
                                      .max_message_bytes = std::size_t{64} * 1024 * 1024};
    const auto listening = net::HttpServer::listen(loops.all(), http, front.handler);
    if (!listening) {
        print_error("fixture: " + listening.error().message);
        return EXIT_FAILURE;
    }
    print_error("fixture: listening on " + front.scheme + "://" + options.address + ":" +
                std::to_string((*listening)->port()) + front.path);
    loops.run();
    return EXIT_SUCCESS;
}

int run(const FixtureOptions& options) {
    net::EventLoops loops{1};
    const auto loop = loops.all().front().executor;
    FixtureServer server{loop, options.server};
    asio::signal_set signals{loop};
    if (options.ignores_termination) {
        std::ignore = std::signal(SIGTERM, SIG_IGN);  // cannot fail for this signal
    } else {
        signals.add(SIGTERM);
        signals.add(SIGINT);
        signals.async_wait([&](const boost::system::error_code& error, int) {
            if (!error) {
                loops.stop();
            }
        });
    }
    if (options.transport != Transport::stdio) {
        return serve_http(loops, server, options);
    }
    asio::co_spawn(loop, serve_stdio(&server, &loops, options.ignores_end_of_input),
                   [](const std::exception_ptr& failure) {
                       if (failure) {
                           std::rethrow_exception(failure);  // a bug: ends the process
                       }
                   });
    loops.run();
    return EXIT_SUCCESS;
}

}  // namespace
}  // namespace holdfast::fixture

// NOLINTNEXTLINE(bugprone-exception-escape): an exception ends this program, and the test fails.
int main(int argument_count, char** arguments) {
    using namespace holdfast::fixture;
    auto options = parsed_options({arguments + 1, arguments + argument_count});
    if (!options) {
        print_error("fixture: " + options.error().message + "\n" + std::string{kUsage});
        return 2;
    }
    std::ignore = std::signal(SIGPIPE, SIG_IGN);  // a lost reader is an error of the write
    ::alarm(options->lifetime_seconds);
    options->server.print_line = print_error;
    return run(*options);
}
