#pragma once

#include <span>
#include <string_view>

namespace holdfast::policy {

/// The policies, circuits and tool rules for one known system: a file of `presets/`, embedded in
/// the binary. Variables in the text are substituted when the preset is used.
struct Preset {
    std::string_view name;
    std::string_view description;
    std::string_view text;  ///< JSON.
};

/// All built-in presets, by name.
[[nodiscard]] std::span<const Preset> presets();

}  // namespace holdfast::policy
