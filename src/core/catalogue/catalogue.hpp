#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "catalogue/exposed_names.hpp"

namespace holdfast::catalogue {

/// An item as its downstream lists it. The definition is the unchanged JSON text.
struct ListedItem {
    std::string name;
    std::string definition;
    std::string repaired = {};  ///< For agents, if they would reject the definition.

    friend bool operator==(const ListedItem&, const ListedItem&) = default;
};

/// One item of the catalogue.
struct Item {
    std::string_view server;
    std::string_view name;  ///< The name that the downstream uses.
    std::string exposed_name;
    std::string_view definition;
    std::string_view repaired = {};  ///< Empty = agents accept the definition.

    /// The definition that agents receive.
    [[nodiscard]] std::string_view shown() const noexcept {
        return repaired.empty() ? definition : repaired;
    }
};

/// A configured downstream.
struct ServerName {
    std::string name;
    std::optional<bool> has_prefix = std::nullopt;  ///< Nothing = as `Prefixing` says.
};

/// The items of one downstream, shared by all snapshots that contain them.
struct ServerItems {
    ServerName server;
    std::shared_ptr<const std::vector<ListedItem>> items;
};

struct CatalogueOptions {
    Prefixing prefixing = Prefixing::automatic;
    std::size_t max_items = 100'000;
    std::vector<std::string> reserved = {};  ///< Exposed names that no item may have.
};

/// The server to which each bare name, or each URI, belongs: the one that had it first. Agents that
/// use it must never reach another server with it.
///
/// Thread-safety: none.
class NameOwners final {
public:
    /// Returns the key of the server; nothing if no server had the name yet.
    [[nodiscard]] std::optional<std::string_view> find(std::string_view name) const;
    /// Keeps the first server of a name. Does nothing if there are too many names.
    void note(std::string_view name, std::string_view server);
    [[nodiscard]] bool is_full() const noexcept { return owners_.size() >= kMaxNames; }

private:
    static constexpr std::size_t kMaxNames = 100'000;

    std::map<std::string, std::string, std::less<>> owners_;
};

/// An immutable snapshot of what agents can call: the items of all downstreams under their exposed
/// names, in the order of the config and then in the order of each downstream's list.
///
/// Thread-safety: immutable; share it.
class Catalogue final {
public:
    /// `servers` lists every configured downstream, including those without items.
    /// Bare names belong to their `owners`; those without an owner get one if they are unambiguous.
    Catalogue(std::uint64_t generation, std::vector<ServerItems> servers,
              const CatalogueOptions& options, NameOwners& owners);
    /// A catalogue without predecessors.
    Catalogue(std::uint64_t generation, std::vector<ServerItems> servers,
              const CatalogueOptions& options);
    Catalogue(const Catalogue&) = delete;
    Catalogue& operator=(const Catalogue&) = delete;

    /// Finds an item by its exposed name, by `server.name`, or by a bare name that belongs to its
    /// server. An item whose own name is in the namespace of another server has only its exposed
    /// name. Returns null if there is none.
    [[nodiscard]] const Item* find(std::string_view name) const;

    /// Returns the exposed names nearest to one that does not exist, nearest first.
    [[nodiscard]] std::vector<std::string_view> nearest(std::string_view name,
                                                        std::size_t count) const;

    [[nodiscard]] std::uint64_t generation() const noexcept { return generation_; }
    [[nodiscard]] std::span<const Item> items() const noexcept { return items_; }
    /// The number of items skipped because the catalogue is full.
    [[nodiscard]] std::size_t overflow() const noexcept { return overflow_; }

private:
    static constexpr std::size_t kAmbiguous = static_cast<std::size_t>(-1);

    /// Looks names up by a view: every call does that.
    struct NameHash {
        using is_transparent = void;
        [[nodiscard]] std::size_t operator()(std::string_view name) const noexcept {
            return std::hash<std::string_view>{}(name);
        }
    };

    void collect(std::size_t max_items);
    void name_items(const CatalogueOptions& options, const Namespaces& namespaces);
    void index_names(const Namespaces& namespaces, NameOwners& owners);

    const std::uint64_t generation_;
    const std::vector<ServerItems> servers_;  // The items hold views into these lists.
    std::vector<Item> items_;
    std::unordered_map<std::string, std::size_t, NameHash, std::equal_to<>> by_name_;
    std::size_t overflow_ = 0;
};

}  // namespace holdfast::catalogue
