#pragma once

#include <boost/asio/awaitable.hpp>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "downstream/credential.hpp"
#include "downstream/link.hpp"
#include "holdfast/resilience/deadline.hpp"
#include "holdfast/resilience/time.hpp"

namespace holdfast::downstream {

/// What happens to a message that is not JSON-RPC and names no call, such as a line that a program
/// prints to its standard output.
enum class JunkRule : std::uint8_t {
    skip,  ///< It is counted and reported. Calls go on waiting for their answers.
    fail,  ///< It fails the only call in flight. With several in flight it belongs to none.
};

/// What every link is made with.
struct LinkOptions {
    std::string client_info = R"({"name":"holdfast","version":"0"})";  ///< The gateway's own.
    /// How long `server/discover` may take on a stream before silence means legacy.
    resilience::Duration probe_wait = std::chrono::seconds{5};
    std::size_t max_message_bytes = std::size_t{64} * 1024 * 1024;
    std::size_t max_calls = 1'024;  ///< In flight on one link.
    JunkRule junk = JunkRule::skip;
    /// Further header lines for HTTP and WebSocket, complete.
    std::string headers = {};
    /// Header lines that may differ between the agents: of each request over HTTP, of the upgrade
    /// over WebSocket. What the gateway asks for itself has those that are the same for all.
    std::vector<Credential> credentials = {};
};

/// For whom a link is opened.
struct LinkPurpose {
    /// What the gateway declares that its client can do: an agent's own capabilities on a session
    /// of its own, everything that can be relayed on a shared one.
    std::string capabilities = "{}";
    std::string client_info = {};  ///< Of the agent; empty = the gateway's own.
    /// What is known from before: spares the probe.
    std::optional<mcp::Era> known_era = std::nullopt;
    /// What the agent brought along for credentials; null = nothing, or the gateway opens it for
    /// itself.
    std::shared_ptr<const AgentHeaders> agent_headers = {};
};

/// Makes links to one downstream: connects, finds out its era, shakes hands. Has what is common to
/// the links of one downstream, such as its connection pool.
///
/// Thread-safety: `open` on the home loop of the new link.
class LinkOpener {
public:
    LinkOpener() = default;
    LinkOpener(const LinkOpener&) = delete;
    LinkOpener& operator=(const LinkOpener&) = delete;
    virtual ~LinkOpener() = default;

    /// A link that is ready for calls. The listener hears from then on.
    [[nodiscard]] virtual boost::asio::awaitable<
        resilience::Result<std::shared_ptr<Link>, CallFault>>
    open(net::OwningLoop home, LinkPurpose purpose, std::weak_ptr<LinkListener> listener,
         resilience::Deadline deadline) = 0;

    /// What was said on the standard error of the last process that did not live to be a link.
    [[nodiscard]] virtual std::vector<std::string> last_log_lines(std::size_t /*count*/) const {
        return {};
    }
};

}  // namespace holdfast::downstream
