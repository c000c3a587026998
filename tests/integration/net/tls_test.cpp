#include <gtest/gtest.h>
#include <openssl/ssl.h>
#include <unistd.h>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/buffer.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/read_until.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/websocket/ssl.hpp>
#include <boost/beast/websocket/stream.hpp>
#include <filesystem>
#include <fstream>
#include <string>

#include "client_loop.hpp"
#include "net/websocket/websocket_channel.hpp"
#include "net/websocket_client.hpp"
#include "support/scripted_server.hpp"
#include "support/test_certificates.hpp"

namespace holdfast::net {
namespace {

namespace asio = boost::asio;
namespace ssl = boost::asio::ssl;
namespace websocket = boost::beast::websocket;
using asio::ip::tcp;
constexpr auto kAsTuple = asio::as_tuple(asio::use_awaitable);

struct TlsServer {
    explicit TlsServer(asio::io_context& io)
        : acceptor(io, {asio::ip::address_v4::loopback(), 0}), context(ssl::context::tls_server) {}

    void present(const test::Certificate& certificate) {
        context.use_certificate(asio::buffer(certificate.certificate), ssl::context::pem);
        context.use_private_key(asio::buffer(certificate.key), ssl::context::pem);
    }

    tcp::acceptor acceptor;
    ssl::context context;
    std::string asked_name;
    std::size_t handshake_count = 0;
};

using SharedServer = std::shared_ptr<TlsServer>;

// Serves one connection: every request gets the same answer.
asio::awaitable<void> serve_one(SharedServer server, std::string answer) {
    ssl::stream<tcp::socket> stream{co_await server->acceptor.async_accept(asio::use_awaitable),
                                    server->context};
    const auto [failed] = co_await stream.async_handshake(ssl::stream_base::server, kAsTuple);
    if (failed) {
        co_return;
    }
    ++server->handshake_count;
    const char* const name = SSL_get_servername(stream.native_handle(), TLSEXT_NAMETYPE_host_name);
    server->asked_name = name == nullptr ? "" : name;
    std::string received;
    while (true) {
        const auto [error, size_bytes] = co_await asio::async_read_until(
            stream, asio::dynamic_buffer(received), "\r\n\r\n", kAsTuple);
        if (error) {
            co_return;
        }
        received.erase(0, size_bytes);
        std::ignore = co_await asio::async_write(stream, asio::buffer(answer), kAsTuple);
    }
}

asio::awaitable<void> echo_once(SharedServer server) {
    TlsWebSocket stream{co_await server->acceptor.async_accept(asio::use_awaitable),
                        server->context};
    std::ignore = co_await stream.next_layer().async_handshake(ssl::stream_base::server, kAsTuple);
    stream.set_option(websocket::stream_base::decorator{
        [](websocket::response_type& response) { response.set("Sec-WebSocket-Protocol", "mcp"); }});
    std::ignore = co_await stream.async_accept(kAsTuple);
    boost::beast::flat_buffer buffer;
    while (true) {
        const auto [error, size_bytes] = co_await stream.async_read(buffer, kAsTuple);
        if (error) {
            co_return;
        }
        std::ignore = co_await stream.async_write(buffer.cdata(), kAsTuple);
        buffer.clear();
    }
}

class TlsTest : public ::testing::Test {
protected:
    TlsTest() {
        char name[] = "/tmp/holdfast-tls-XXXXXX";
        const int descriptor = ::mkstemp(name);
        ::close(descriptor);
        authority_file_ = name;
        std::ofstream{authority_file_} << authority_.certificate;
    }
    ~TlsTest() override { std::filesystem::remove(authority_file_); }

    void serve(const test::CertificateRequest& request) {
        server_->present(test::make_certificate(authority_, request));
        asio::co_spawn(loop_.context(), serve_one(server_, test::http_answer("secret")),
                       [](const std::exception_ptr&) {});
    }
    std::string url(const std::string& host = "localhost") const {
        return "https://" + host + ":" + std::to_string(server_->acceptor.local_endpoint().port());
    }
    Fetched fetched(const std::shared_ptr<HttpClient>& client, std::string body = "",
                    resilience::Duration limit = 10s) {
        return loop_.run(fetch(client, loop_.loop(), {.method = "GET", .body = std::move(body)},
                               loop_.within(limit)));
    }
    std::shared_ptr<HttpClient> trusting_client(const std::string& host = "localhost") {
        return client_of(url(host), {.certificate_file = authority_file_});
    }

    ClientLoop loop_;
    const test::Certificate authority_ = test::make_authority();
    std::string authority_file_;
    SharedServer server_ = std::make_shared<TlsServer>(loop_.context());
};

TEST_F(TlsTest, ReusesASecureConnection) {
    serve({});
    const auto client = trusting_client();

    for (int round = 0; round < 3; ++round) {
        EXPECT_EQ(fetched(client).body, "secret");
    }

    EXPECT_EQ(server_->asked_name, "localhost");
    EXPECT_EQ(server_->handshake_count, 1U);
}

TEST_F(TlsTest, AcceptsACertificateForAnAddress) {
    serve({.name = "IP:127.0.0.1"});

    EXPECT_EQ(fetched(trusting_client("127.0.0.1")).body, "secret");
}

TEST_F(TlsTest, ReportsWhatIsWrongWithACertificate) {
    struct Case {
        test::CertificateRequest request = {};
        bool is_trusted = true;
        std::string words = {};
    };
    for (const Case& wrong :
         {Case{.request = {.valid_for_days = -1}, .words = "has expired"},
          Case{.request = {.name = "DNS:elsewhere.example"}, .words = "is for another name"},
          Case{.is_trusted = false, .words = "issuer that is not trusted"}}) {
        serve(wrong.request);

        const Fetched got = fetched(wrong.is_trusted ? trusting_client() : client_of(url()));

        EXPECT_EQ(got.error, NetErrc::bad_answer);
        EXPECT_FALSE(got.may_have_arrived);
        EXPECT_NE(got.message.find(wrong.words), std::string::npos) << got.message;
        EXPECT_NE(got.message.find("localhost"), std::string::npos) << got.message;
    }
}

TEST_F(TlsTest, RejectsOldVersions) {
    SSL_CTX_set_max_proto_version(server_->context.native_handle(), TLS1_1_VERSION);
    SSL_CTX_set_security_level(server_->context.native_handle(), 0);
    serve({});

    EXPECT_FALSE(fetched(trusting_client()).may_have_arrived);
    EXPECT_EQ(server_->handshake_count, 0U);
}

TEST_F(TlsTest, TimesOutWithoutAHandshake) {
    const auto client = client_of(url(), {.connect_wait = 30ms});

    const Fetched got = fetched(client);  // the kernel accepts, but nothing answers

    EXPECT_EQ(got.error, NetErrc::timed_out);
    EXPECT_FALSE(got.may_have_arrived);
}

TEST_F(TlsTest, RejectsAPlainServer) {
    test::ScriptedServer plain{loop_.context()};
    plain.answer_all("HTTP/1.1 400 Bad Request\r\n\r\n");
    const auto client =
        client_of("https://127.0.0.1:" + std::to_string(plain.port()), {.connect_wait = 100ms});

    EXPECT_FALSE(fetched(client).may_have_arrived);
}

TEST_F(TlsTest, ReportsAnUnusableCertificateFile) {
    const auto client =
        make_http_client(*parsed_url("https://localhost"), {.certificate_file = "/no/such/file"});

    ASSERT_FALSE(client);
    EXPECT_EQ(client.error().code, NetErrc::invalid_request);
    EXPECT_NE(client.error().message.find("/no/such/file"), std::string::npos);
}

TEST_F(TlsTest, OpensASecureWebSocket) {
    server_->present(test::make_certificate(authority_, {}));
    asio::co_spawn(loop_.context(), echo_once(server_), [](const std::exception_ptr&) {});
    auto opened =
        loop_.run(open_websocket(loop_.loop(), {.url = *parsed_url(url())},
                                 {.certificate_file = authority_file_}, loop_.within(10s)));
    ASSERT_TRUE(opened) << opened.error().message;

    const std::string large(1'000'000, 'z');
    EXPECT_TRUE((*opened)->try_write("hello"));
    EXPECT_TRUE((*opened)->try_write(large));

    EXPECT_EQ(*loop_.run((*opened)->read()), "hello");
    EXPECT_EQ(*loop_.run((*opened)->read()), large);
}

TEST_F(TlsTest, ChecksTheCertificateOfAWebSocketServer) {
    server_->present(test::make_certificate(authority_, {.name = "DNS:elsewhere.example"}));
    asio::co_spawn(loop_.context(), echo_once(server_), [](const std::exception_ptr&) {});

    const auto opened =
        loop_.run(open_websocket(loop_.loop(), {.url = *parsed_url(url())},
                                 {.certificate_file = authority_file_}, loop_.within(10s)));

    ASSERT_FALSE(opened);
    EXPECT_NE(opened.error().message.find("is for another name"), std::string::npos);
}

}  // namespace
}  // namespace holdfast::net
