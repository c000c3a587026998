#pragma once

#include <boost/asio/awaitable.hpp>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "downstream/link_opener.hpp"
#include "downstream/stream_link_options.hpp"
#include "net/loop.hpp"
#include "net/message_channel.hpp"
#include "net/net_error.hpp"

namespace holdfast::downstream {

/// Makes another channel to the downstream: starts its process or dials it.
using ChannelSource =
    std::function<boost::asio::awaitable<net::NetResult<std::unique_ptr<net::MessageChannel>>>(
        net::OwningLoop, resilience::Deadline)>;

struct StreamOpenerOptions {
    StreamLinkOptions link = {};
    /// For transports that have never carried the modern era; skips the probe.
    bool is_always_legacy = false;
    /// Ends a process in order if its start failed or was cancelled. Otherwise it is killed.
    bool stops_failed_starts = false;
};

/// Opens links over channels of whole messages. A downstream of unknown era is first asked
/// `server/discover`. Any answer but a modern one, and silence, mean legacy. A downstream that dies
/// of the question is started again without it.
///
/// Thread-safety: as `LinkOpener`; `last_log_lines` on the home loop.
class StreamOpener final : public LinkOpener {
public:
    StreamOpener(ChannelSource source, StreamOpenerOptions options);
    ~StreamOpener() override;

    /// Gives a known modern downstream more time to answer; if that fails, probes it like any
    /// other.
    [[nodiscard]] boost::asio::awaitable<resilience::Result<std::shared_ptr<Link>, CallFault>> open(
        net::OwningLoop home, LinkPurpose purpose, std::weak_ptr<LinkListener> listener,
        resilience::Deadline deadline) override;
    [[nodiscard]] std::vector<std::string> last_log_lines(std::size_t count) const override;

private:
    struct Setup;
    struct Opening;

    // Shared with running attempts.
    const std::shared_ptr<Setup> setup_;
};

}  // namespace holdfast::downstream
