#pragma once

#include <boost/asio/awaitable.hpp>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "downstream/answer.hpp"
#include "downstream/call_listener.hpp"
#include "downstream/request.hpp"
#include "downstream/started_call.hpp"
#include "mcp/revision.hpp"
#include "net/loop.hpp"
#include "process/tail_buffer.hpp"

namespace holdfast::downstream {

struct ToolHeaderTable;

/// The result of the handshake, or a modern downstream's description of itself.
struct Negotiated {
    mcp::Revision revision = mcp::kNewestLegacy;
    std::string capabilities = "{}";  ///< Its ServerCapabilities object.
    std::string server_info = {};     ///< Its Implementation object; may be empty.
    std::string instructions = {};    ///< Decoded text; may be empty.
    /// Whether the downstream assigned a session id, so that its session may hold one agent's
    /// state.
    bool has_session_id = false;

    [[nodiscard]] mcp::Era era() const noexcept { return mcp::era_of(revision); }
};

/// A message that is not JSON-RPC and was skipped.
struct JunkNotice {
    std::uint64_t count = 0;  ///< Number of such messages on this link so far.
    std::string quote = {};   ///< The start of the message.
};

/// Receives what belongs to no single call, on the link's home loop.
class LinkListener {
public:
    LinkListener() = default;
    LinkListener(const LinkListener&) = delete;
    LinkListener& operator=(const LinkListener&) = delete;
    virtual ~LinkListener() = default;

    /// A list changed, a resource was updated, or a log line belongs to no call. Notifications of a
    /// modern downstream come without the subscription's id.
    virtual void on_notification(Notification notification) = 0;
    /// A question while no call is in flight.
    virtual void on_question(Question question) = 0;
    /// Called for the first, tenth, hundredth, … skipped message of a link.
    virtual void on_junk(const JunkNotice& /*notice*/) {}
    /// The connection or session has ended; calls in flight have failed. Called once, never after
    /// `close`.
    virtual void on_lost(CallFault why) = 0;
};

/// The process at the other end of a link; readable from any thread.
struct LinkProcess {
    std::int64_t pid = 0;
    std::shared_ptr<const process::SharedTail> log = {};  ///< Its standard error. Never null.
};

/// What a modern link listens to and a legacy link subscribes to.
struct Interests {
    bool lists = true;  ///< Changes of tools, prompts and resources.
    std::vector<std::string> resource_uris = {};

    friend bool operator==(const Interests&, const Interests&) = default;
};

/// One connection or session with a downstream after the handshake. It gives every request its own
/// id and progress token and, for a modern downstream, its envelope.
///
/// Thread-safety: `call` on any loop; all else on the home loop.
class Link {
public:
    Link() = default;
    Link(const Link&) = delete;
    Link& operator=(const Link&) = delete;
    virtual ~Link() = default;

    [[nodiscard]] virtual const Negotiated& negotiated() const = 0;

    /// Runs one request to its end. Ends at the request's deadline at the latest, and at once when
    /// the coroutine is cancelled (terminal) or the link is lost; the downstream is then notified
    /// of the cancellation. `listener` may be null: questions are then refused.
    [[nodiscard]] virtual boost::asio::awaitable<CallResult> call(
        net::OwningLoop caller, Request request, std::shared_ptr<CallListener> listener) = 0;

    /// Starts a request as `call` does, if the link can do so without a coroutine; most requests
    /// take this path. Returns null, and does nothing, if it cannot. Requires a request without a
    /// deadline: its caller cancels it in time.
    [[nodiscard]] virtual std::shared_ptr<StartedCall> try_start(
        const net::OwningLoop& /*caller*/, const Request& /*request*/,
        const std::shared_ptr<CallObserver>& /*observer*/) {
        return nullptr;
    }

    /// Sends a notification; `params` is an object or empty. Failures are not reported.
    virtual void notify(std::string_view method, std::string params) = 0;

    /// Replaces the set of events that the link reports outside of calls.
    virtual void set_interests(Interests interests) = 0;

    /// Sets which arguments of tools requests repeat in headers. Only modern HTTP uses it.
    virtual void set_tool_headers(const std::shared_ptr<const ToolHeaderTable>& /*table*/) {}

    /// Closes the link gracefully within its own limits and ends the session. Unfinished and later
    /// calls fail with `why`.
    [[nodiscard]] virtual boost::asio::awaitable<void> close(CallFault why) = 0;

    /// Whether the downstream has answered a request since the handshake. A link that cannot know
    /// this, such as one over HTTP, returns true and is judged by its age only.
    [[nodiscard]] virtual bool has_answered() const { return true; }

    /// Returns nothing if the link has no process, or if the process has ended.
    [[nodiscard]] virtual std::optional<LinkProcess> process() const { return std::nullopt; }
    /// Returns the last log lines of the process, if any.
    [[nodiscard]] virtual std::vector<std::string> last_log_lines(std::size_t /*count*/) const {
        return {};
    }
};

}  // namespace holdfast::downstream
