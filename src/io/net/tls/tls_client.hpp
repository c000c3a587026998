#pragma once

#include <boost/asio/buffer.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/system/error_code.hpp>
#include <cstddef>
#include <memory>
#include <string>

#include "net/net_error.hpp"

struct ssl_st;  // OpenSSL's connection

namespace boost::asio::ssl {
class context;  // NOLINT(readability-identifier-naming): the name is Boost's.
}

namespace holdfast::net {

using TlsContext = std::shared_ptr<boost::asio::ssl::context>;

/// Makes a context for clients: at least TLS 1.2, the system's trusted certificates and those of
/// the file. `invalid_request` if the file is unusable.
[[nodiscard]] NetResult<TlsContext> make_tls_context(const std::string& certificate_file);

/// Requests that host, and accepts only a certificate for it. Returns false if OpenSSL refuses.
[[nodiscard]] bool prepare_tls(ssl_st* connection, const std::string& host);

/// Returns why a handshake failed: the host, and what is wrong with its certificate.
[[nodiscard]] NetError tls_failure(ssl_st* connection, const std::string& host,
                                   const boost::system::error_code& error);

/// Receives the results of a stream's operations. It is kept alive while they run.
class StreamEvents {
public:
    StreamEvents() = default;
    StreamEvents(const StreamEvents&) = delete;
    StreamEvents& operator=(const StreamEvents&) = delete;
    virtual ~StreamEvents() = default;

    virtual void on_handshake(const boost::system::error_code& error) = 0;
    virtual void on_read(const boost::system::error_code& error, std::size_t size_bytes) = 0;
    virtual void on_written(const boost::system::error_code& error) = 0;
};

/// TLS over a connected socket. Hides the headers of OpenSSL and most of its templates from other
/// files. One read and one write at a time.
///
/// Thread-safety: none; belongs to the loop of the socket.
class TlsStream final {
public:
    TlsStream(boost::asio::ip::tcp::socket socket, TlsContext context, std::string host);
    TlsStream(const TlsStream&) = delete;
    TlsStream& operator=(const TlsStream&) = delete;
    ~TlsStream();

    void start_handshake(std::shared_ptr<StreamEvents> events);
    void start_read(boost::asio::mutable_buffer buffer, std::shared_ptr<StreamEvents> events);
    /// Writes all bytes, which must stay valid until then.
    void start_write(boost::asio::const_buffer bytes, std::shared_ptr<StreamEvents> events);

    [[nodiscard]] bool is_open() const;
    /// Ends all operations without notifying the peer.
    void close();

    [[nodiscard]] NetError failure(const boost::system::error_code& error) const;

private:
    struct Hidden;
    const std::unique_ptr<Hidden> hidden_;
};

}  // namespace holdfast::net
