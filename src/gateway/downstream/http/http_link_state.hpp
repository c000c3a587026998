#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "downstream/http/http_heads.hpp"
#include "downstream/http/http_reply.hpp"
#include "downstream/http_link_options.hpp"
#include "downstream/link.hpp"
#include "downstream/supervision/background_tasks.hpp"
#include "downstream/supervision/call_table.hpp"
#include "holdfast/resilience/asio/one_shot.hpp"
#include "holdfast/resilience/synchronized.hpp"
#include "net/http_client.hpp"
#include "net/loop.hpp"
#include "net/loop_snapshot.hpp"

namespace holdfast::downstream {

/// The state that the calls and streams of one link share; destroyed with the last of them.
///
/// Thread-safety: constants, atomics and locked members from any loop; all else on the home loop.
class HttpLinkState final : public std::enable_shared_from_this<HttpLinkState> {
public:
    HttpLinkState(net::OwningLoop home_loop, HttpLinkDeps link_parts,
                  std::weak_ptr<LinkListener> link_listener);

    [[nodiscard]] mcp::Era era() const noexcept { return parts.negotiated.era(); }
    [[nodiscard]] bool is_legacy() const noexcept { return era() == mcp::Era::legacy; }
    [[nodiscard]] bool has_session() const noexcept { return !parts.session_id.empty(); }
    [[nodiscard]] std::uint64_t next_id() { return ++last_id_; }

    /// Returns why calls are no longer possible, if so.
    [[nodiscard]] std::optional<CallFault> refusal() const;
    /// Null = none. Must be called on that loop; valid until the next call there.
    [[nodiscard]] const ToolHeaderTable* tool_headers(const net::OwningLoop& loop) const {
        return tool_headers_.on(loop);
    }
    void set_tool_headers(std::shared_ptr<const ToolHeaderTable> table);
    /// Whether the server may send messages on a stream of the session's own.
    [[nodiscard]] bool may_have_stream() const noexcept {
        return may_have_stream_.load(std::memory_order_relaxed);
    }
    void on_no_stream() noexcept { may_have_stream_.store(false, std::memory_order_relaxed); }

    /// The server no longer knows the session. May be called from any loop; the owner is notified
    /// once. Returns the fault for the call; the server has not processed it.
    CallFault lose_session();
    /// Sends a message in the background; dropped if too many are in flight. From any loop.
    void post_message(std::string method, std::string text);
    /// Passes a notification to the link's listener. From any loop.
    void tell(Notification notification);
    /// Makes a question whose answer is sent as a message of its own. The answer may come from any
    /// thread; a question that is dropped is refused.
    [[nodiscard]] Question question_of(ServerRequest request);
    void refuse(const ServerRequest& request, std::string_view reason);
    void answer_ping(const ServerRequest& request);

    /// Stops all work and notifications; later calls fail with `why`. Only the first reason counts.
    void close(CallFault why);

    // Constant after construction.
    const net::OwningLoop home;
    const HttpLinkDeps parts;
    const HttpHeads heads;       // for messages outside of calls
    const HttpHeads call_heads;  // for calls, which have their own credentials
    const std::weak_ptr<LinkListener> listener;
    const std::shared_ptr<CallTable> calls;
    const std::shared_ptr<BackgroundTasks> tasks;
    /// Signalled on the home loop once it is known whether the session has its own stream.
    resilience::OneShot stream_is_settled{*home.timekeeper};

private:
    enum class Life : std::uint8_t { open, lost, closed };

    std::atomic<std::uint64_t> last_id_ = 0;
    std::atomic<Life> life_ = Life::open;
    resilience::Synchronized<std::optional<CallFault>> closed_why_;
    net::LoopSnapshot<ToolHeaderTable> tool_headers_;
    // Guards nothing else, so no order is needed.
    std::atomic<bool> may_have_stream_ = true;
};

/// Whether a notification concerns lists and resources, regardless of its stream.
[[nodiscard]] bool concerns_no_call(std::string_view method) noexcept;

}  // namespace holdfast::downstream
