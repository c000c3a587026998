#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "gateway/surface.hpp"
#include "search/ladder.hpp"

namespace holdfast::gateway {

/// What is looked for, and among what.
struct FinderQuery {
    std::string text = {};
    std::shared_ptr<const Surface> surface = {};
    search::LadderOptions options = {};
    /// Whether a tool can be called now. From any thread.
    std::function<bool(const search::ListedTool& tool)> is_available = {};

    /// Whether a tool that the index knows is still on the surface.
    [[nodiscard]] bool is_listed(std::string_view id) const {
        return surface->find_tool(id) != nullptr;
    }
};

/// How far the index of the tools is.
struct FinderProgress {
    std::size_t indexed = 0;
    std::size_t embedded = 0;
    std::size_t set_aside = 0;  ///< Texts that the embedder refuses or fails at; found by words.
    std::string model = {};     ///< By which meaning is compared; empty = none.
    std::string problem = {};   ///< Why there is none, or why it does not work now.
};

/// Finds tools for the gateway. The index and the queries have threads of their own, so that no
/// loop waits for them; therefore whoever has threads makes it.
///
/// Thread-safety: from any thread.
class ToolFinder {
public:
    using Done = std::function<void(search::LadderAnswer answer)>;

    ToolFinder() = default;
    ToolFinder(const ToolFinder&) = delete;
    ToolFinder& operator=(const ToolFinder&) = delete;
    virtual ~ToolFinder() = default;

    /// From now on these are the tools. What is new is read in the background.
    virtual void show(std::shared_ptr<const Surface> surface) = 0;
    /// Always answers, on whatever thread; within the time for the encoder and a moment.
    virtual void find(FinderQuery query, Done done) = 0;
    [[nodiscard]] virtual FinderProgress progress() const = 0;
};

}  // namespace holdfast::gateway
