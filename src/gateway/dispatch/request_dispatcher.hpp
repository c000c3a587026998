#pragma once

#include <boost/asio/awaitable.hpp>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "agents/incoming_request.hpp"
#include "calls/call_plan.hpp"
#include "dispatch/deferred_request.hpp"
#include "dispatch/gateway.hpp"
#include "dispatch/skills.hpp"
#include "holdfast/resilience/asio/one_shot.hpp"

namespace holdfast::dispatch {

/// Handles the messages of agents from any front: answers what the gateway knows itself, and starts
/// a call for everything else. Every request gets one answer through its port.
///
/// Thread-safety: immutable; each call must be on the loop named in the request.
class RequestDispatcher final {
public:
    explicit RequestDispatcher(std::shared_ptr<Gateway> gateway) : gateway_(std::move(gateway)) {}

    /// Handles a request of either era, except `initialize`.
    void on_request(const agents::IncomingRequest& request) const;
    /// Handles a notification of an agent that has a session.
    void on_notification(const jsonrpc::Message& message, agents::AgentSession& session) const;
    /// Handles an agent's answer to a question of the gateway.
    void on_response(const jsonrpc::Message& message, agents::AgentSession& session) const;

    /// Runs the handshake of a legacy agent: sets the session's agent, and returns the answer.
    [[nodiscard]] std::string initialized(const jsonrpc::Message& message,
                                          agents::AgentSession& session) const;

    [[nodiscard]] Gateway& gateway() const noexcept { return *gateway_; }

private:
    /// A request for a list that outlives its message.
    struct ListRequest {
        downstream::ListKind kind = downstream::ListKind::tools;
        agents::AgentRequest from = {};
        std::optional<std::string> cursor = std::nullopt;
        std::optional<std::string> query = std::nullopt;  ///< The list is to follow it.
        bool wants_all = false;                           ///< Whatever the mode of the surface.
        std::function<void()> on_answered = {};
    };

    void discover(const agents::IncomingRequest& request) const;
    void list(const agents::IncomingRequest& request, downstream::ListKind kind) const;
    /// Finds tools for the query of the request first.
    static void route_list(const std::shared_ptr<Gateway>& gateway, const ListRequest& request);
    static boost::asio::awaitable<void> answer_routed(std::weak_ptr<Gateway> gateway,
                                                      ListRequest request,
                                                      surface::Router::Answer search);
    /// `found`: the tools of a routed list; unset = those of the agent's last query.
    static void answer_list(const Gateway& gateway, const ListRequest& request,
                            std::optional<std::vector<std::string>> found = std::nullopt);
    static void answer_page(const Gateway& gateway, const ListRequest& request,
                            const surface::Surface& surface, const surface::ItemList& items,
                            std::size_t offset);
    static void refuse_cursor(const ListRequest& request);
    /// Uses a request that describes the agent's task as a query for its list of tools.
    void note_query(const agents::IncomingRequest& request) const;
    void call_tool(const agents::IncomingRequest& request) const;
    /// Handles a call of a built-in tool.
    void call_builtin(const agents::IncomingRequest& request,
                      const surface::BuiltinItems::Tool& tool) const;
    void call_forwarded(const agents::IncomingRequest& request,
                        const surface::BuiltinItems::Tool& tool,
                        const std::string& arguments) const;
    void read_own(const agents::IncomingRequest& request,
                  const surface::BuiltinResource& resource) const;
    /// Handles a call of a tool that no server lists.
    void call_unlisted(const agents::IncomingRequest& request, std::string_view name,
                       const std::shared_ptr<const surface::Surface>& surface) const;
    /// Sends it to the only server that can have it.
    void call_hidden(const agents::IncomingRequest& request, std::string_view name,
                     calls::CallPlan plan, std::string_view own_name) const;
    /// Waits for a server that may be about to list the tool.
    void call_tool_later(const agents::IncomingRequest& request) const;
    /// Waits for the first list of this server, at most for the time limit of the call.
    void call_when_listed(const agents::IncomingRequest& request, const std::string& server,
                          resilience::Duration limit) const;
    static boost::asio::awaitable<void> run_when_listed(std::weak_ptr<Gateway> gateway,
                                                        std::shared_ptr<DeferredRequest> deferred,
                                                        std::shared_ptr<resilience::OneShot> listed,
                                                        resilience::Duration limit);
    void run_deferred(DeferredRequest& deferred, resilience::Duration waited) const;
    void get_prompt(const agents::IncomingRequest& request) const;
    void read_resource(const agents::IncomingRequest& request) const;
    void list_skills(const agents::IncomingRequest& request) const;
    /// For methods that name a skill, or a file within it, by its URI.
    void ask_about_skill(const agents::IncomingRequest& request) const;
    /// Returns the server of a resource that may belong to a skill; null if there is none.
    [[nodiscard]] const surface::Server* owner_of(const surface::Surface& surface,
                                                  std::string_view uri) const;
    void complete(const agents::IncomingRequest& request) const;
    void subscribe(const agents::IncomingRequest& request, bool is_wanted) const;
    /// Lets the server decide about a URI that it does not list.
    void subscribe_at(const agents::IncomingRequest& request,
                      std::shared_ptr<const surface::Surface> surface,
                      const surface::Server& server, const std::string& uri) const;
    void set_log_level(const agents::IncomingRequest& request) const;
    void listen(const agents::IncomingRequest& request) const;

    void start(const agents::IncomingRequest& request, calls::CallPlan plan) const;
    void resume(const agents::IncomingRequest& request, agents::AgentRequest origin,
                const calls::CallPlan& plan) const;

    const std::shared_ptr<Gateway> gateway_;
    const std::shared_ptr<SkillRoutes> skills_ = std::make_shared<SkillRoutes>();
};

}  // namespace holdfast::dispatch
