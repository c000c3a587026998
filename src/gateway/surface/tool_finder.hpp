#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "search/fallback_chain.hpp"
#include "surface/surface.hpp"

namespace holdfast::surface {

/// What is looked for, and among what.
struct FinderQuery {
    std::string text = {};
    std::shared_ptr<const Surface> surface = {};
    search::FallbackOptions options = {};
    /// Whether a tool can be called now. From any thread.
    std::function<bool(const search::ListedTool& tool)> is_available = {};

    /// Whether a tool that the index knows is still on the surface.
    [[nodiscard]] bool is_listed(std::string_view id) const {
        return surface->find_tool(id) != nullptr;
    }
};

struct SimilarAnswer {
    std::vector<std::string> ids = {};  ///< Exposed names, nearest first.
    std::uint64_t generation = 0;       ///< Of the surface that was searched.
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
    using Done = std::function<void(search::SearchAnswer answer)>;
    using SimilarDone = std::function<void(std::optional<SimilarAnswer> answer)>;

    ToolFinder() = default;
    ToolFinder(const ToolFinder&) = delete;
    ToolFinder& operator=(const ToolFinder&) = delete;
    virtual ~ToolFinder() = default;

    /// From now on these are the tools. What is new is read in the background.
    virtual void show(std::shared_ptr<const Surface> surface) = 0;
    /// Always answers, on whatever thread; within the time for the encoder and a moment.
    virtual void find(FinderQuery query, Done done) = 0;
    /// Tools of other servers that are like the one with this exposed name, by words alone. Nothing
    /// if the index does not have the tool yet, or if too many queries are waiting. May not call
    /// `done` at all once the finder stops.
    virtual void find_similar(std::string tool, SimilarDone done) = 0;
    [[nodiscard]] virtual FinderProgress progress() const = 0;
};

}  // namespace holdfast::surface
