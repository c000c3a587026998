#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "catalogue/catalogue.hpp"
#include "downstream/downstream.hpp"
#include "surface/builtin_items.hpp"
#include "surface/callable.hpp"
#include "surface/item_list.hpp"
#include "surface/surface_options.hpp"

namespace holdfast::surface {

using downstream::ListKind;
inline constexpr std::size_t kListKinds = 4;

/// The catalogues that a surface is made of, by kind.
using Catalogues = std::array<std::shared_ptr<const catalogue::Catalogue>, kListKinds>;

/// How long agents may cache a list.
struct CacheHint {
    std::int64_t ttl_ms = 0;
    bool is_public = false;
};

/// The parts of a surface that do not come from downstreams.
struct SurfaceContext {
    /// The built-in items, listed after those of the downstreams; may be null.
    std::shared_ptr<const BuiltinItems> own = {};
    std::shared_ptr<const SurfaceOptions> options = {};  ///< Null = the defaults.
    /// The servers of all URIs that were ever listed; null = none yet.
    std::shared_ptr<const catalogue::NameOwners> uri_owners = {};
    /// Servers that start and whose tools are not known yet.
    std::size_t starting_servers = 0;
};

/// What agents see at one moment: lists as final bytes, and routes for names and URIs. A snapshot
/// that never changes.
///
/// Thread-safety: immutable; share it.
class Surface final {
public:
    Surface(std::uint64_t generation, std::shared_ptr<const std::vector<Server>> servers,
            Catalogues catalogues, std::array<CacheHint, kListKinds> hints,
            const SurfaceContext& terms = {});
    Surface(const Surface&) = delete;
    Surface& operator=(const Surface&) = delete;

    [[nodiscard]] std::uint64_t generation() const noexcept { return generation_; }
    /// All items of this kind.
    [[nodiscard]] const ItemList& list(ListKind kind) const;
    /// Never `automatic`.
    [[nodiscard]] SurfaceMode mode() const noexcept { return mode_; }
    /// The tools that this mode lists for an agent without a query.
    [[nodiscard]] const ItemList& shown_tools() const;
    /// The tools listed for an agent whose query found these exposed names.
    [[nodiscard]] ItemList routed_tools(std::span<const std::string> found) const;
    /// Whether one of `tools` is in `shown_tools`.
    [[nodiscard]] bool is_always_listed(const Callable& tool) const;
    /// Returns a tool's entry in the list; nothing if there is no such tool.
    [[nodiscard]] std::optional<std::string> definition_of(std::string_view name,
                                                           mcp::Era era) const;
    [[nodiscard]] const CacheHint& hint(ListKind kind) const;
    [[nodiscard]] const catalogue::Catalogue& catalogue(ListKind kind) const;
    [[nodiscard]] const std::vector<Callable>& tools() const noexcept { return tools_; }

    /// Returns null if there is no such tool or prompt.
    [[nodiscard]] const Callable* find_tool(std::string_view name) const;
    [[nodiscard]] const Callable* find_prompt(std::string_view name) const;
    [[nodiscard]] std::vector<std::string_view> nearest_tools(std::string_view name,
                                                              std::size_t count) const;
    [[nodiscard]] std::vector<std::string_view> nearest_prompts(std::string_view name,
                                                                std::size_t count) const;

    /// Returns the server of a URI: the one that listed it first, else the first with a matching
    /// template, else the only server. With several servers, templates count only if their scheme
    /// and first segment are literal. Null if no server fits.
    [[nodiscard]] const Server* find_resource(std::string_view uri) const;
    /// Does the same for a URI or template from a completion request.
    [[nodiscard]] const Server* find_template(std::string_view uri_template) const;

    [[nodiscard]] const std::vector<Server>& servers() const noexcept { return *servers_; }
    /// Returns null if there is no built-in item with this name. Built-in items take precedence.
    [[nodiscard]] const BuiltinItems::Tool* find_builtin_tool(std::string_view name) const;
    [[nodiscard]] const BuiltinResource* find_own_resource(std::string_view uri) const;

private:
    void render_callables(ListKind kind, std::vector<Callable>& callables);
    void collect_resources();
    void collect_templates();
    void add_own();
    void describe_own();
    void collect_pinned();
    [[nodiscard]] std::string_view own_definition(const BuiltinItems::Tool& tool) const;
    void add_tool(ItemList& list, std::size_t index) const;
    [[nodiscard]] std::optional<std::size_t> index_of_tool(std::string_view name) const;
    [[nodiscard]] const Server* owner_of(std::string_view uri) const;
    [[nodiscard]] const Server* server_named(std::string_view name) const;
    [[nodiscard]] const Callable* find(ListKind kind, const std::vector<Callable>& callables,
                                       std::string_view name) const;

    const std::uint64_t generation_;
    const std::shared_ptr<const std::vector<Server>> servers_;
    const Catalogues catalogues_;
    const std::array<CacheHint, kListKinds> hints_;
    const std::shared_ptr<const BuiltinItems> own_;                  // may be null
    const std::shared_ptr<const SurfaceOptions> options_;            // may be null
    const std::shared_ptr<const catalogue::NameOwners> uri_owners_;  // may be null
    SurfaceMode mode_ = SurfaceMode::all;
    std::vector<std::size_t> pinned_;           // indexes of tools
    ItemList short_list_;                       // used when not all tools are listed
    std::vector<std::string> own_definitions_;  // of the built-in tools; empty = as they are
    std::array<ItemList, kListKinds> lists_;
    std::vector<Callable> tools_;  // in the order of the catalogue's items
    std::vector<Callable> prompts_;
    // The keys are views into the catalogues.
    std::unordered_map<std::string_view, const Server*> resources_;
    std::vector<std::pair<std::string_view, const Server*>> templates_;
};

}  // namespace holdfast::surface
