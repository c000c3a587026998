#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "downstream/link.hpp"
#include "downstream/link_opener.hpp"
#include "holdfast/resilience/backoff.hpp"
#include "holdfast/resilience/time.hpp"
#include "net/http_client.hpp"

namespace holdfast::downstream {

struct HttpLinkOptions {
    resilience::Duration post_wait = std::chrono::seconds{10};  ///< For a message outside of calls.
    /// How long to wait for the server to accept or reject a new session's stream.
    resilience::Duration stream_wait = std::chrono::seconds{2};
    resilience::Duration close_wait = std::chrono::seconds{2};  ///< For ending a session.
    std::size_t max_tasks = 64;     ///< Concurrent messages and streams outside of calls.
    std::uint32_t max_resumes = 5;  ///< Of one broken reply.
    /// Delay before a broken reply is resumed, unless the server specifies one.
    resilience::Duration resume_wait = std::chrono::seconds{1};
    /// Delays before a stream outside of calls is reopened.
    resilience::BackoffOptions reopen = {.base = std::chrono::seconds{1},
                                         .multiplier = 2.0,
                                         .cap = std::chrono::seconds{30},
                                         .jitter = resilience::Jitter::none};
};

/// The parts of an HTTP link.
struct HttpLinkDeps {
    std::shared_ptr<net::HttpClient> client = {};
    /// For streams that stay open as long as the link, so that they do not use the calls'
    /// connections.
    std::shared_ptr<net::HttpClient> stream_client = {};
    std::string target = {};
    std::string session_id = {};  ///< Of a legacy session; may be empty.
    Negotiated negotiated = {};
    /// For messages outside of calls, including credentials; empty = those of `options`.
    std::string own_headers = {};
    LinkOptions options = {};
    HttpLinkOptions http = {};
};

}  // namespace holdfast::downstream
