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
    resilience::Duration post_wait = std::chrono::seconds{10};  ///< For a message beside calls.
    /// For the server to say whether a new session has a stream of its own.
    resilience::Duration stream_wait = std::chrono::seconds{2};
    resilience::Duration close_wait = std::chrono::seconds{2};  ///< For giving a session back.
    std::size_t max_tasks = 64;     ///< Messages and streams beside calls, at once.
    std::uint32_t max_resumes = 5;  ///< Of one broken reply.
    /// Before a broken reply is resumed, unless the server names a time of its own.
    resilience::Duration resume_wait = std::chrono::seconds{1};
    /// Before a stream that concerns no call is opened again.
    resilience::BackoffOptions reopen = {.base = std::chrono::seconds{1},
                                         .multiplier = 2.0,
                                         .cap = std::chrono::seconds{30},
                                         .jitter = resilience::Jitter::none};
};

/// What a link over HTTP is made of.
struct HttpLinkDeps {
    std::shared_ptr<net::HttpClient> client = {};
    /// For streams that stay open as long as the link: they must not use up the calls' connections.
    std::shared_ptr<net::HttpClient> stream_client = {};
    std::string target = {};
    std::string session_id = {};  ///< Of a legacy session; may be empty.
    Negotiated negotiated = {};
    /// Of all that is sent beside calls, credentials included; empty = those of `options`.
    std::string own_headers = {};
    LinkOptions options = {};
    HttpLinkOptions http = {};
};

}  // namespace holdfast::downstream
