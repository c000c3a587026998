#pragma once

#include <span>
#include <string_view>

namespace holdfast::policy {

/// The policies, circuits and tool rules of one known system: a file of `presets/`, kept in the
/// binary as it is. The text has variables in it that are filled in when it is used.
struct Preset {
    std::string_view name;
    std::string_view description;
    std::string_view text;  ///< JSON.
};

/// All that are built in, by name.
[[nodiscard]] std::span<const Preset> presets();

}  // namespace holdfast::policy
