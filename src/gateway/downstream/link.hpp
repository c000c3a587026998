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
#include "mcp/revision.hpp"
#include "net/loop.hpp"
#include "process/tail_buffer.hpp"

namespace holdfast::downstream {

struct ToolHeaderTable;

/// What the two sides agreed on, or what a modern downstream said about itself.
struct Negotiated {
    mcp::Revision revision = mcp::kNewestLegacy;
    std::string capabilities = "{}";  ///< Its ServerCapabilities object.
    std::string server_info = {};     ///< Its Implementation object, if it told one.
    std::string instructions = {};    ///< Decoded text; empty = none.
    /// Whether it keeps a session for us that has state of one agent: it gave out a session id.
    bool has_session_id = false;

    [[nodiscard]] mcp::Era era() const noexcept { return mcp::era_of(revision); }
};

/// A message that is not JSON-RPC and was skipped.
struct JunkNotice {
    std::uint64_t count = 0;  ///< Of all on this link so far.
    std::string quote = {};   ///< Its beginning.
};

/// Hears what concerns no single call, on the link's home loop.
class LinkListener {
public:
    LinkListener() = default;
    LinkListener(const LinkListener&) = delete;
    LinkListener& operator=(const LinkListener&) = delete;
    virtual ~LinkListener() = default;

    /// A list has changed, a resource was updated, a log line of nobody's call. Of a modern
    /// downstream without the subscription's id.
    virtual void on_notification(Notification notification) = 0;
    /// A question when no call is in flight.
    virtual void on_question(Question question) = 0;
    /// Told for the first skipped message of a link, the tenth, the hundredth and so on.
    virtual void on_junk(const JunkNotice& /*notice*/) {}
    /// The connection or session is over, once; calls in flight have been ended. Not told after
    /// `close`.
    virtual void on_lost(CallFault why) = 0;
};

/// The process at the other end of a link, for those who look at it from any thread.
struct LinkProcess {
    std::int64_t pid = 0;
    std::shared_ptr<const process::SharedTail> log = {};  ///< Of its standard error. Never null.
};

/// What a modern link listens to, and a legacy link subscribes to.
struct Interests {
    bool lists = true;  ///< Changes of tools, prompts and resources.
    std::vector<std::string> resource_uris = {};

    friend bool operator==(const Interests&, const Interests&) = default;
};

/// One connection or session with a downstream after the two sides have agreed on a revision. It
/// gives every request its own id and progress token and, for a modern downstream, its envelope.
///
/// Thread-safety: `call` on any loop; all else on the home loop.
class Link {
public:
    Link() = default;
    Link(const Link&) = delete;
    Link& operator=(const Link&) = delete;
    virtual ~Link() = default;

    [[nodiscard]] virtual const Negotiated& negotiated() const = 0;

    /// Runs one request to its end. Ends by the request's deadline at the latest, and at once when
    /// the coroutine is cancelled (terminal) or the link is lost; the downstream is then told that
    /// nobody waits any more. `listener` may be null: questions are then refused.
    [[nodiscard]] virtual boost::asio::awaitable<CallResult> call(
        net::OwningLoop caller, Request request, std::shared_ptr<CallListener> listener) = 0;

    /// Sends a notification; `params` is an object, or empty for none. Failures are not told.
    virtual void notify(std::string_view method, std::string params) = 0;

    /// What to be told of besides calls. Replaces what was wanted before.
    virtual void set_interests(Interests interests) = 0;

    /// Which arguments of tools the requests repeat in headers. Modern HTTP alone has use for it.
    virtual void set_tool_headers(const std::shared_ptr<const ToolHeaderTable>& /*table*/) {}

    /// Ends it politely, within limits of its own; a session is given back to the downstream. Calls
    /// that cannot be finished, and those that come too late, fail with `why`.
    [[nodiscard]] virtual boost::asio::awaitable<void> close(CallFault why) = 0;

    /// Whether the downstream has answered a request since the handshake. A link that cannot tell,
    /// such as one over HTTP, says yes: it is judged by its age alone.
    [[nodiscard]] virtual bool has_answered() const { return true; }

    /// Nothing if no process was started for it, or if it has ended.
    [[nodiscard]] virtual std::optional<LinkProcess> process() const { return std::nullopt; }
    /// What the process logged last, if there is one.
    [[nodiscard]] virtual std::vector<std::string> last_log_lines(std::size_t /*count*/) const {
        return {};
    }
};

}  // namespace holdfast::downstream
