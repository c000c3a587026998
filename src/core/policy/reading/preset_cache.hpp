#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "config/fault_report.hpp"
#include "config/interpolation.hpp"
#include "config/secret_list.hpp"
#include "policy/presets.hpp"
#include "policy/reading/fragment.hpp"

namespace holdfast::policy {

/// Reads each preset that a config uses once, and stores the faults of each preset separately.
///
/// Thread-safety: none. The constructor's arguments must outlive it.
class PresetCache final {
public:
    /// Adds presets to `presets` when they are read.
    PresetCache(std::span<const Preset> available, const config::Environment& environment,
                Presets& presets)
        : available_(available), environment_(environment), presets_(presets) {}

    /// Null if there is no preset of this name.
    const Fragment* read(std::string_view name);
    /// Reads all available presets. Drops their faults, warnings and secrets.
    [[nodiscard]] Presets all() const;

    [[nodiscard]] std::vector<std::string_view> names() const;
    /// The faults of a preset that has been read; otherwise empty.
    [[nodiscard]] std::span<const config::ConfigFault> faults_of(std::string_view name) const;
    /// The warnings of all presets that have been read.
    [[nodiscard]] std::vector<config::ConfigFault> take_warnings();
    [[nodiscard]] std::vector<std::string> secrets() const { return secrets_.values(); }

private:
    const std::span<const Preset> available_;
    const config::Environment& environment_;
    Presets& presets_;
    std::map<std::string, std::vector<config::ConfigFault>, std::less<>> faults_;
    std::vector<config::ConfigFault> warnings_;
    config::SecretList secrets_;
};

}  // namespace holdfast::policy
