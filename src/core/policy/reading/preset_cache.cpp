#include "policy/reading/preset_cache.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "policy/reading/preset_reader.hpp"

namespace holdfast::policy {

const Fragment* PresetCache::read(std::string_view name) {
    if (const auto known = presets_.find(name); known != presets_.end()) {
        return &known->second;
    }
    const auto preset = std::ranges::find(available_, name, &Preset::name);
    if (preset == available_.end()) {
        return nullptr;
    }
    config::FaultReport report{"presets/" + std::string{name} + ".json"};
    Fragment fragment = read_preset(*preset, environment_, report, secrets_);
    faults_[std::string{name}] = report.take_faults();
    std::ranges::move(report.take_warnings(), std::back_inserter(warnings_));
    return &presets_.emplace(name, std::move(fragment)).first->second;
}

Presets PresetCache::all() const {
    Presets all;
    for (const Preset& preset : available_) {
        config::FaultReport report{""};
        config::SecretList secrets;
        all.emplace(preset.name, read_preset(preset, environment_, report, secrets));
    }
    return all;
}

std::vector<std::string_view> PresetCache::names() const {
    std::vector<std::string_view> names;
    std::ranges::transform(available_, std::back_inserter(names), &Preset::name);
    return names;
}

std::span<const config::ConfigFault> PresetCache::faults_of(std::string_view name) const {
    const auto found = faults_.find(name);
    return found == faults_.end() ? std::span<const config::ConfigFault>{} : found->second;
}

std::vector<config::ConfigFault> PresetCache::take_warnings() {
    return std::exchange(warnings_, {});
}

}  // namespace holdfast::policy
