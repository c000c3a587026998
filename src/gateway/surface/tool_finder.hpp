#pragma once

#include <boost/asio/awaitable.hpp>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "net/loop.hpp"
#include "search/fallback_chain.hpp"
#include "surface/surface.hpp"

namespace holdfast::surface {

/// A query and the tools to search.
struct FinderQuery {
    std::string text = {};
    std::string server = {};  ///< Only its tools; empty = all.
    std::shared_ptr<const Surface> surface = {};
    search::FallbackOptions options = {};
    /// Whether a tool can be called now. Called from any thread.
    std::function<bool(const search::ListedTool& tool)> is_available = {};

    /// Whether a tool that the index knows is still on the surface, and of the server.
    [[nodiscard]] bool is_listed(std::string_view id) const {
        const Callable* const tool = surface->find_tool(id);
        return tool != nullptr && (server.empty() || tool->server->name == server);
    }
};

struct SimilarAnswer {
    std::vector<std::string> ids = {};  ///< Exposed names, nearest first.
    std::uint64_t generation = 0;       ///< Of the searched surface.
};

/// The state of the tool index.
struct FinderProgress {
    std::size_t indexed = 0;
    std::size_t embedded = 0;
    std::size_t set_aside = 0;  ///< Texts that the embedder rejects; found by keyword only.
    std::string model = {};     ///< Name of the embedding model; empty = none.
    std::string problem = {};   ///< Why there is no model, or why it does not work.
};

/// Finds tools for the gateway. The index and the queries run on their own threads, so that no loop
/// waits for them. The room `service` implements it.
///
/// Thread-safety: from any thread.
class ToolFinder {
public:
    using SimilarDone = std::function<void(std::optional<SimilarAnswer> answer)>;

    ToolFinder() = default;
    ToolFinder(const ToolFinder&) = delete;
    ToolFinder& operator=(const ToolFinder&) = delete;
    virtual ~ToolFinder() = default;

    /// Replaces the tools. New tools are indexed in the background.
    virtual void show(std::shared_ptr<const Surface> surface) = 0;
    /// Must be awaited on `loop`. Answers soon after the time for the encoder; nothing if the
    /// coroutine was cancelled.
    [[nodiscard]] virtual boost::asio::awaitable<std::optional<search::SearchAnswer>> find(
        FinderQuery query, net::OwningLoop loop) = 0;
    /// Finds tools of other servers that resemble the one with this exposed name, by keywords only.
    /// Returns nothing if the index does not have the tool yet, or if too many queries are waiting.
    /// May never call `done` once the finder stops.
    virtual void find_similar(std::string tool, SimilarDone done) = 0;
    [[nodiscard]] virtual FinderProgress progress() const = 0;
};

}  // namespace holdfast::surface
