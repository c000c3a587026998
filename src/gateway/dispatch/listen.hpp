#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "agents/agent.hpp"
#include "agents/agent_session.hpp"
#include "agents/reply_port.hpp"
#include "surface/surface.hpp"

namespace holdfast::dispatch {

/// The notifications that a modern agent wants.
struct ListenFilter {
    std::array<bool, surface::kListKinds> lists = {};  ///< Templates change with the resources.
    std::vector<std::string> uris = {};

    /// The text for the acknowledgement.
    [[nodiscard]] std::string text() const;
};

/// Reads the `notifications` member of a `subscriptions/listen` request.
[[nodiscard]] ListenFilter listen_filter_of(std::string_view notifications);

/// An open `subscriptions/listen` of a modern agent.
///
/// Thread-safety: from any loop.
class Listen final : public agents::AgentCall, public std::enable_shared_from_this<Listen> {
public:
    /// `id` is that of the request, as written. `on_end` is called when the agent ends the listen.
    Listen(std::string id, std::shared_ptr<const agents::Agent> agent, ListenFilter filter,
           std::shared_ptr<agents::ReplyPort> port, std::function<void(const Listen&)> on_end);

    /// Sends the first message; nothing is sent before it.
    void acknowledge();
    void on_list_changed(downstream::ListKind kind);
    void on_resource_updated(std::string_view uri, std::string_view params);
    [[nodiscard]] bool ends_by_itself() const override { return false; }
    void cancel() override;
    /// Ends the listen from the gateway's side by answering the request. Only the first end counts.
    void finish();

    [[nodiscard]] const ListenFilter& filter() const noexcept { return filter_; }
    [[nodiscard]] const std::string& id() const noexcept { return id_; }
    [[nodiscard]] const std::string& agent_key() const noexcept { return agent_->face->key; }
    [[nodiscard]] const std::string& principal() const noexcept { return agent_->principal; }

private:
    enum class Stage : std::uint8_t { opening, open, over };

    /// Returns the `_meta` of a notification: its own members, if any, and the subscription's id.
    [[nodiscard]] std::string subscription_meta(std::string_view own = {}) const;

    const std::string id_;
    const std::shared_ptr<const agents::Agent> agent_;
    const ListenFilter filter_;
    const std::shared_ptr<agents::ReplyPort> port_;
    const std::function<void(const Listen&)> on_end_;
    std::atomic<Stage> stage_{Stage::opening};
};

}  // namespace holdfast::dispatch
