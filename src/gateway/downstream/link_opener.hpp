#pragma once

#include <boost/asio/awaitable.hpp>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "downstream/credential.hpp"
#include "downstream/link.hpp"
#include "holdfast/resilience/deadline.hpp"
#include "holdfast/resilience/time.hpp"

namespace holdfast::downstream {

/// How to treat a message that is not JSON-RPC and names no call, such as a line that a program
/// prints to its standard output.
enum class JunkRule : std::uint8_t {
    skip,  ///< Counts and reports it. Calls keep waiting for their answers.
    fail,  ///< Fails the only call in flight. With several calls in flight it fails none.
};

/// Options of all links.
struct LinkOptions {
    std::string client_info = R"({"name":"holdfast","version":"0"})";  ///< The gateway's own.
    /// How long `server/discover` may take on a stream before silence means legacy.
    resilience::Duration probe_wait = std::chrono::seconds{5};
    std::size_t max_message_bytes = std::size_t{64} * 1024 * 1024;
    std::size_t max_calls = 1'024;  ///< In flight on one link.
    JunkRule junk = JunkRule::skip;
    /// Additional complete header lines for HTTP and WebSocket.
    std::string headers = {};
    /// Header lines that may differ between agents: per request over HTTP, at the upgrade over
    /// WebSocket. The gateway's own requests use those that are the same for all agents.
    std::vector<Credential> credentials = {};
};

/// What a process and those that it started have done.
struct ProcessActivity {
    resilience::Duration cpu = {};
    std::uint64_t log_bytes = 0;  ///< Written to its standard error.
    std::size_t processes = 0;    ///< That are alive.
};

/// The process behind a link that is being opened.
struct StartingProcess {
    /// Returns what the process has done so far; empty while there is none. May read files.
    std::function<ProcessActivity()> activity = {};
};

/// The purpose for which a link is opened.
struct LinkPurpose {
    /// The client capabilities that the gateway declares: an agent's own on a per-agent session,
    /// everything that can be relayed on a shared one.
    std::string capabilities = "{}";
    std::string client_info = {};  ///< The agent's; empty = the gateway's own.
    /// Skips the probe if the era is known.
    std::optional<mcp::Era> known_era = std::nullopt;
    /// The link must be of the known era, or it does not open.
    bool is_era_required = false;
    /// The agent's headers for credentials; null if the agent has none or the gateway opens the
    /// link for itself.
    std::shared_ptr<const AgentHeaders> agent_headers = {};
    /// Filled in by an opener that starts a process; null if nobody watches the start. Belongs to
    /// the home loop.
    std::shared_ptr<StartingProcess> starting = {};
};

/// Opens links to one downstream: connects, determines the era, runs the handshake. Owns what the
/// links of one downstream share, such as the connection pool.
///
/// Thread-safety: `open` on the home loop of the new link.
class LinkOpener {
public:
    LinkOpener() = default;
    LinkOpener(const LinkOpener&) = delete;
    LinkOpener& operator=(const LinkOpener&) = delete;
    virtual ~LinkOpener() = default;

    /// Returns a link that is ready for calls. The listener receives events from then on.
    [[nodiscard]] virtual boost::asio::awaitable<
        resilience::Result<std::shared_ptr<Link>, CallFault>>
    open(net::OwningLoop home, LinkPurpose purpose, std::weak_ptr<LinkListener> listener,
         resilience::Deadline deadline) = 0;

    /// Returns the standard error of the last process that ended before its link was ready.
    [[nodiscard]] virtual std::vector<std::string> last_log_lines(std::size_t /*count*/) const {
        return {};
    }
};

}  // namespace holdfast::downstream
