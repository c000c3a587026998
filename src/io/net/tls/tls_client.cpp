#include "net/tls/tls_client.hpp"

#include <openssl/ssl.h>
#include <openssl/x509v3.h>

#include <array>
#include <boost/asio/ip/address.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/ssl/error.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/asio/write.hpp>
#include <tuple>
#include <utility>

namespace holdfast::net {
namespace {

namespace ssl = boost::asio::ssl;
using Error = boost::system::error_code;

// The only protocol, in ALPN form: its length, then its name.
constexpr std::array<unsigned char, 9> kProtocols{8, 'h', 't', 't', 'p', '/', '1', '.', '1'};

std::string certificate_fault(long verdict) {
    switch (verdict) {
        case X509_V_ERR_CERT_HAS_EXPIRED:
            return "its certificate has expired";
        case X509_V_ERR_CERT_NOT_YET_VALID:
            return "its certificate is not valid yet";
        case X509_V_ERR_HOSTNAME_MISMATCH:
        case X509_V_ERR_IP_ADDRESS_MISMATCH:
            return "its certificate is for another name";
        case X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT:
        case X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN:
        case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT:
        case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY:
        case X509_V_ERR_UNABLE_TO_VERIFY_LEAF_SIGNATURE:
            return "its certificate has an issuer that is not trusted";
        default:
            return std::string{"its certificate is not accepted: "} +
                   X509_verify_cert_error_string(verdict);
    }
}

bool is_address(const std::string& host) {
    Error error;
    std::ignore = boost::asio::ip::make_address(host, error);
    return !error;
}

}  // namespace

NetResult<TlsContext> make_tls_context(const std::string& certificate_file) {
    auto context = std::make_shared<ssl::context>(ssl::context::tls_client);
    SSL_CTX* const native = context->native_handle();
    Error error;  // the calls return the same error
    std::ignore = context->set_default_verify_paths(error);
    if (!certificate_file.empty()) {
        std::ignore = context->load_verify_file(certificate_file, error);
        if (error) {
            return NetError{.code = NetErrc::invalid_request,
                            .message = "the certificate file \"" + certificate_file +
                                       "\" cannot be used: " + error.message()};
        }
    }
    std::ignore = context->set_verify_mode(ssl::verify_peer, error);
    const bool is_ready =
        SSL_CTX_set_min_proto_version(native, TLS1_2_VERSION) == 1 &&
        SSL_CTX_set_alpn_protos(native, kProtocols.data(), kProtocols.size()) == 0;
    if (!is_ready || error) {
        return NetError{.code = NetErrc::system_failure, .message = "TLS cannot be set up"};
    }
    SSL_CTX_set_mode(native, SSL_MODE_RELEASE_BUFFERS);
    return context;
}

bool prepare_tls(ssl_st* connection, const std::string& host) {
    if (is_address(host)) {
        return X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(connection), host.c_str()) == 1;
    }
    SSL_set_hostflags(connection, X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS);
    // A macro of OpenSSL with an old-style cast, written out.
    const bool is_asked_for =
        SSL_ctrl(connection, SSL_CTRL_SET_TLSEXT_HOSTNAME, TLSEXT_NAMETYPE_host_name,
                 const_cast<char*>(host.c_str())) == 1;
    return is_asked_for && SSL_set1_host(connection, host.c_str()) == 1;
}

NetError tls_failure(ssl_st* connection, const std::string& host, const Error& error) {
    NetError failure{.code = NetErrc::bad_answer, .message = "no secure connection to " + host};
    failure.message += ": ";
    const long verdict = SSL_get_verify_result(connection);
    if (verdict != X509_V_OK) {
        failure.message += certificate_fault(verdict);
    } else if (error == boost::asio::error::eof || error == ssl::error::stream_truncated ||
               error.category() == boost::system::system_category()) {
        failure.code = NetErrc::closed;
        failure.message += "it hung up during the TLS handshake";
    } else {
        failure.message += error.message();
    }
    return failure;
}

struct TlsStream::Hidden {
    Hidden(boost::asio::ip::tcp::socket socket, TlsContext shared_context, std::string name)
        : context(std::move(shared_context)),
          host(std::move(name)),
          stream(std::move(socket), *context) {}

    const TlsContext context;
    const std::string host;
    ssl::stream<boost::asio::ip::tcp::socket> stream;
};

TlsStream::TlsStream(boost::asio::ip::tcp::socket socket, TlsContext context, std::string host)
    : hidden_(std::make_unique<Hidden>(std::move(socket), std::move(context), std::move(host))) {}

TlsStream::~TlsStream() = default;

void TlsStream::start_handshake(std::shared_ptr<StreamEvents> events) {
    if (!prepare_tls(hidden_->stream.native_handle(), hidden_->host)) {
        events->on_handshake(boost::asio::error::invalid_argument);
        return;
    }
    hidden_->stream.async_handshake(
        ssl::stream_base::client,
        [events = std::move(events)](const Error& error) { events->on_handshake(error); });
}

void TlsStream::start_read(boost::asio::mutable_buffer buffer,
                           std::shared_ptr<StreamEvents> events) {
    hidden_->stream.async_read_some(
        buffer, [events = std::move(events)](const Error& error, std::size_t size_bytes) {
            events->on_read(error, size_bytes);
        });
}

void TlsStream::start_write(boost::asio::const_buffer bytes, std::shared_ptr<StreamEvents> events) {
    boost::asio::async_write(hidden_->stream, bytes,
                             [events = std::move(events)](const Error& error, std::size_t) {
                                 events->on_written(error);
                             });
}

bool TlsStream::is_open() const {
    return hidden_->stream.lowest_layer().is_open();
}

void TlsStream::close() {
    Error ignored;  // closed before, or nothing can be done
    std::ignore = hidden_->stream.lowest_layer().close(ignored);
}

NetError TlsStream::failure(const Error& error) const {
    return tls_failure(hidden_->stream.native_handle(), hidden_->host, error);
}

}  // namespace holdfast::net
