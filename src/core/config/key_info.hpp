#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "config/node.hpp"

namespace holdfast::config {

/// One key of an object in the config, for those who describe it. The tables of keys are the only
/// lists of them: readers refuse what is not in their table, and `holdfast config schema` and
/// docs/config.md are made from the same tables.
struct KeyInfo {
    std::string_view name;
    std::string_view description;  ///< Markdown without a line break.
    Node (*schema)();              ///< The JSON Schema of the value, with its default.
    bool is_required = false;
};

/// A key of an older version.
struct RemovedKey {
    std::string_view object;  ///< The path of its object; `*` stands for any name.
    std::string_view name;
    std::string_view replacement;  ///< What to write instead: "use \"debounce\"".
};

/// All keys that older versions had.
[[nodiscard]] std::span<const RemovedKey> removed_keys();

/// What replaces a key in the object at `path`, such as `mcpServers.docs`; empty if it never
/// existed.
[[nodiscard]] std::string_view replacement_of(std::string_view path, std::string_view key,
                                              std::span<const RemovedKey> removed = removed_keys());

}  // namespace holdfast::config
