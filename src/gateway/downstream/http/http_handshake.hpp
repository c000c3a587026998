#pragma once

#include <boost/asio/awaitable.hpp>
#include <memory>
#include <string>

#include "downstream/http_opener.hpp"
#include "downstream/link.hpp"
#include "net/loop.hpp"

namespace holdfast::downstream {

/// The inputs of a handshake.
struct HttpHandshake {
    std::shared_ptr<net::HttpClient> client = {};
    std::shared_ptr<net::HttpClient> stream_client = {};  ///< For the link.
    std::shared_ptr<const HttpOpenerOptions> options = {};
    net::OwningLoop home = {};
    LinkPurpose purpose = {};
    std::string headers = {};  ///< Those of the options and the credentials of the purpose.
    resilience::Deadline deadline = resilience::Deadline::never();
};

/// The result of a handshake.
struct HttpAgreement {
    Negotiated negotiated = {};
    std::string session_id = {};  ///< Empty = the server has no session.
};

struct HandshakeFault {
    CallFault fault = {};
    bool may_be_old_transport = false;  ///< The server has no `initialize` at this address.
};

/// Determines the era unless it is known, and negotiates a revision.
[[nodiscard]] boost::asio::awaitable<resilience::Result<HttpAgreement, HandshakeFault>> agree(
    std::shared_ptr<const HttpHandshake> handshake);

}  // namespace holdfast::downstream
