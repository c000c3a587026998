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

/// Reads each preset that a config uses once, and keeps what is wrong with it apart from the
/// others.
///
/// Thread-safety: none. What the constructor gets must outlive it.
class PresetShelf final {
public:
    /// Presets that are read go into `presets`.
    PresetShelf(std::span<const Preset> available, const config::Environment& environment,
                Presets& presets)
        : available_(available), environment_(environment), presets_(presets) {}

    /// Null if there is no preset of this name.
    const Fragment* read(std::string_view name);
    /// All that are available. Their faults, warnings and secrets are dropped.
    [[nodiscard]] Presets all() const;

    [[nodiscard]] std::vector<std::string_view> names() const;
    /// Of one that has been read; else none.
    [[nodiscard]] std::span<const config::ConfigFault> faults_of(std::string_view name) const;
    /// Of all that have been read.
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
