#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "catalogue/exposed_names.hpp"

namespace holdfast::catalogue {

/// An item as a downstream lists it. The definition stays the JSON text that it was.
struct ListedItem {
    std::string name;
    std::string definition;

    friend bool operator==(const ListedItem&, const ListedItem&) = default;
};

/// One item of the catalogue.
struct Item {
    std::string_view server;
    std::string_view name;  ///< What its downstream calls it.
    std::string exposed_name;
    std::string_view definition;
};

/// A configured downstream.
struct ServerName {
    std::string name;
    std::optional<bool> has_prefix = std::nullopt;  ///< Nothing = as `Prefixing` says.
};

/// The items of one downstream, shared by all snapshots that show them.
struct ServerItems {
    ServerName server;
    std::shared_ptr<const std::vector<ListedItem>> items;
};

struct CatalogueOptions {
    Prefixing prefixing = Prefixing::automatic;
    std::size_t max_items = 100'000;
    std::vector<std::string> reserved = {};  ///< Exposed names that no item gets.
};

/// What can be called at one moment: all items of all downstreams, in the order of the config and
/// then of each downstream, under names that agents see. A snapshot: it never changes.
///
/// Thread-safety: immutable; share it.
class Catalogue final {
public:
    /// `servers` holds every configured downstream, also those that have no items now.
    Catalogue(std::uint64_t generation, std::vector<ServerItems> servers,
              const CatalogueOptions& options);
    Catalogue(const Catalogue&) = delete;
    Catalogue& operator=(const Catalogue&) = delete;

    /// The item of that exposed name, of that `server.name`, or of that bare name where only one
    /// downstream has it; null otherwise.
    [[nodiscard]] const Item* find(std::string_view name) const;

    /// The exposed names nearest to one that does not exist, nearest first.
    [[nodiscard]] std::vector<std::string_view> nearest(std::string_view name,
                                                        std::size_t count) const;

    [[nodiscard]] std::uint64_t generation() const noexcept { return generation_; }
    [[nodiscard]] std::span<const Item> items() const noexcept { return items_; }
    /// Items left out because their downstream lists the same name before.
    [[nodiscard]] std::size_t duplicates() const noexcept { return duplicates_; }
    /// Items left out because there are too many.
    [[nodiscard]] std::size_t overflow() const noexcept { return overflow_; }

private:
    static constexpr std::size_t kAmbiguous = static_cast<std::size_t>(-1);

    /// Lets names be looked up by a view: that is on the path of a call.
    struct NameHash {
        using is_transparent = void;
        [[nodiscard]] std::size_t operator()(std::string_view name) const noexcept {
            return std::hash<std::string_view>{}(name);
        }
    };

    void collect(std::size_t max_items);
    void name_items(const CatalogueOptions& options);
    void index_names();

    const std::uint64_t generation_;
    const std::vector<ServerItems> servers_;  // what the views of the items point into
    std::vector<Item> items_;
    std::unordered_map<std::string, std::size_t, NameHash, std::equal_to<>> by_name_;
    std::size_t duplicates_ = 0;
    std::size_t overflow_ = 0;
};

}  // namespace holdfast::catalogue
