#include "dispatch/gateway.hpp"
#include "jsonrpc/message_writer.hpp"

// The part of `Gateway` for tools that agents find.

namespace holdfast::dispatch {
namespace {

/// Models use about one token for this many bytes of JSON and English.
constexpr std::size_t kBytesPerToken = 4;

}  // namespace

surface::ToolInventory Gateway::tool_inventory() const {
    const auto surface = this->surface();
    const surface::ItemList& shown = surface->shown_tools();
    const std::size_t bytes = shown.page(mcp::Era::modern, 0, shown.size()).size();
    return {.total_tools = surface->tools().size(),
            .search = router_->progress(),
            .generation = surface->generation(),
            .mode = surface->mode(),
            .list_bytes = bytes,
            .list_tokens = (bytes + kBytesPerToken - 1) / kBytesPerToken};
}

std::string Gateway::words_about_search() const {
    return surface()->mode() == surface::SurfaceMode::all
               ? std::string{}
               : "Not all tools are listed. Find tools for a task with find_tools, and call them "
                 "with "
                 "call_tool.";
}

void Gateway::tell_routed(const agents::Agent& agent,
                          const std::shared_ptr<agents::AgentSession>& session) const {
    if (agent.era() == mcp::Era::legacy && session) {
        session->tell(jsonrpc::notification_text("notifications/tools/list_changed", {}));
        return;
    }
    for (const auto& listen : listens()) {
        if (listen->agent_key() == agent.face->key) {
            listen->on_list_changed(downstream::ListKind::tools);
        }
    }
}

}  // namespace holdfast::dispatch
