#pragma once

#include <boost/asio/awaitable.hpp>
#include <memory>
#include <string>

#include "downstream/http_opener.hpp"
#include "downstream/link.hpp"
#include "net/loop.hpp"

namespace holdfast::downstream {

/// What a handshake needs.
struct HttpHandshake {
    std::shared_ptr<net::HttpClient> client = {};
    std::shared_ptr<net::HttpClient> stream_client = {};  ///< For the link.
    std::shared_ptr<const HttpOpenerOptions> options = {};
    net::OwningLoop home = {};
    LinkPurpose purpose = {};
    std::string headers = {};  ///< Those of the options, and the credentials of the purpose.
    resilience::Deadline deadline = resilience::Deadline::never();
};

/// What the two sides have agreed on.
struct HttpAgreement {
    Negotiated negotiated = {};
    std::string session_id = {};  ///< Empty = the server keeps none.
};

struct HandshakeFault {
    CallFault fault = {};
    bool may_be_old_transport = false;  ///< The server knows no `initialize` at this address.
};

/// Finds out the era unless it is known, and agrees on a revision.
[[nodiscard]] boost::asio::awaitable<resilience::Result<HttpAgreement, HandshakeFault>> agree(
    std::shared_ptr<const HttpHandshake> handshake);

}  // namespace holdfast::downstream
