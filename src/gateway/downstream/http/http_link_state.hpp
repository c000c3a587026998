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

namespace holdfast::downstream {

/// What the calls and the streams of one link share; it lives as long as the last of them.
///
/// Thread-safety: the constant part, and what is atomic or behind a lock, on any loop; all else on
/// the home loop.
class HttpLinkState final : public std::enable_shared_from_this<HttpLinkState> {
public:
    HttpLinkState(net::OwningLoop home_loop, HttpLinkDeps link_parts,
                  std::weak_ptr<LinkListener> link_listener);

    [[nodiscard]] mcp::Era era() const noexcept { return parts.negotiated.era(); }
    [[nodiscard]] bool is_legacy() const noexcept { return era() == mcp::Era::legacy; }
    [[nodiscard]] bool has_session() const noexcept { return !parts.session_id.empty(); }
    [[nodiscard]] std::string next_id() { return std::to_string(++last_id_); }

    /// Why no call can be made any more, if so.
    [[nodiscard]] std::optional<CallFault> refusal() const;
    [[nodiscard]] std::shared_ptr<const ToolHeaderTable> tool_headers() const;
    void set_tool_headers(std::shared_ptr<const ToolHeaderTable> table);

    /// From any loop: the server does not know the session any more. The owner is told once.
    /// Returns what a call gets: the server has done nothing for it.
    CallFault lose_session();
    /// From any loop: sends a message in the background; dropped when too many are under way.
    void post_message(std::string method, std::string text);
    /// From any loop: tells the listener of the link.
    void tell(Notification notification);
    /// A question of the server that is answered by a message of its own. Its answer may come from
    /// any thread, and one that is dropped becomes a refusal.
    [[nodiscard]] Question question_of(ServerRequest request);
    void refuse(const ServerRequest& request, std::string_view reason);
    void answer_ping(const ServerRequest& request);

    /// Nothing is started and nobody is told any more; calls that come now fail with `why`. Only
    /// the first reason counts.
    void close(CallFault why);

    // Constant after construction.
    const net::OwningLoop home;
    const HttpLinkDeps parts;
    const HttpHeads heads;       // of what is sent beside calls
    const HttpHeads call_heads;  // of calls, which bring credentials of their own
    const std::weak_ptr<LinkListener> listener;
    const std::shared_ptr<CallTable> calls;
    const std::shared_ptr<BackgroundTasks> tasks;
    /// On the home loop: signalled when it is known whether the session has a stream of its own.
    resilience::OneShot stream_is_settled{*home.timekeeper};

private:
    enum class Life : std::uint8_t { open, lost, closed };

    std::atomic<std::uint64_t> last_id_ = 0;
    std::atomic<Life> life_ = Life::open;
    resilience::Synchronized<std::optional<CallFault>> closed_why_;
    // So that a call takes no lock where no tool has such headers.
    std::atomic<bool> has_tool_headers_ = false;
    resilience::Synchronized<std::shared_ptr<const ToolHeaderTable>> tool_headers_;
};

/// Whether a notification is about lists and resources, whatever stream it comes on.
[[nodiscard]] bool concerns_no_call(std::string_view method) noexcept;

}  // namespace holdfast::downstream
