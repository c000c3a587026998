#pragma once

#include <boost/asio/awaitable.hpp>
#include <chrono>
#include <cstddef>
#include <memory>
#include <string>

#include "downstream/stream_opener.hpp"
#include "net/http_client.hpp"
#include "process/child_options.hpp"

namespace holdfast::downstream {

struct SseChannelOptions {
    std::size_t max_message_bytes = std::size_t{64} * 1024 * 1024;
    /// Messages read ahead of `read` calls; beyond this limit the stream is not read.
    std::size_t max_unread_messages = 64;
    net::WriteQueueOptions write_queue = {};
    resilience::Duration post_wait = std::chrono::seconds{30};  ///< For the answer to one POST.
    resilience::Duration close_wait = std::chrono::seconds{2};  ///< For sending queued messages.
};

/// The address of the stream.
struct SseTarget {
    std::shared_ptr<net::HttpClient> client = {};  ///< For the origin of the URL.
    net::HttpUrl url = {};
    std::string headers = {};  ///< Additional complete lines for every request.
};

/// The transport of the first revision as a channel. Messages arrive on a stream of server-sent
/// events; each outgoing message is a POST to the endpoint that the stream's first event names,
/// which must have the same origin. The POSTs are sequential; one that is rejected ends the
/// channel.
[[nodiscard]] boost::asio::awaitable<net::NetResult<std::unique_ptr<net::MessageChannel>>>
open_sse_channel(net::OwningLoop loop, SseTarget target, SseChannelOptions options,
                 resilience::Deadline deadline);

/// For a `StreamOpener` with `is_always_legacy`.
[[nodiscard]] ChannelSource make_sse_source(SseTarget target, SseChannelOptions options);

}  // namespace holdfast::downstream
