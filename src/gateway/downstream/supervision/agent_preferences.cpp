#include "downstream/supervision/agent_preferences.hpp"

#include <algorithm>
#include <array>
#include <set>
#include <utility>

namespace holdfast::downstream {
namespace {

// Most verbose first.
constexpr std::array<std::string_view, 8> kLevels{"debug", "info",     "notice", "warning",
                                                  "error", "critical", "alert",  "emergency"};

std::size_t rank_of(std::string_view level) noexcept {
    return static_cast<std::size_t>(std::find(kLevels.begin(), kLevels.end(), level) -
                                    kLevels.begin());
}

}  // namespace

void AgentPreferences::set_uris(const std::string& agent_key, std::vector<std::string> uris) {
    if (Preference* preference = preference_of(agent_key)) {
        preference->uris = std::move(uris);
        drop_if_empty(agent_key);
    }
}

void AgentPreferences::set_level(const std::string& agent_key, std::string_view level) {
    if (Preference* preference = preference_of(agent_key)) {
        preference->level = rank_of(level) < kLevels.size() ? level : std::string_view{};
        drop_if_empty(agent_key);
    }
}

void AgentPreferences::forget(const std::string& agent_key) {
    preferences_.erase(agent_key);
}

std::vector<std::string> AgentPreferences::uris_of(const std::string& agent_key) const {
    const auto place = preferences_.find(agent_key);
    return place == preferences_.end() ? std::vector<std::string>{} : place->second.uris;
}

std::string AgentPreferences::level_of(const std::string& agent_key) const {
    const auto place = preferences_.find(agent_key);
    return place == preferences_.end() ? std::string{} : place->second.level;
}

std::vector<std::string> AgentPreferences::shared_uris(const HasOwnLink& has_own) const {
    std::set<std::string> uris;
    for (const auto& [agent_key, preference] : preferences_) {
        if (!has_own(agent_key)) {
            uris.insert(preference.uris.begin(), preference.uris.end());
        }
    }
    return {uris.begin(), uris.end()};
}

std::string AgentPreferences::shared_level(const HasOwnLink& has_own) const {
    std::size_t rank = kLevels.size();
    for (const auto& [agent_key, preference] : preferences_) {
        if (!has_own(agent_key)) {
            rank = std::min(rank, rank_of(preference.level));
        }
    }
    return rank < kLevels.size() ? std::string{kLevels.at(rank)} : std::string{};
}

AgentPreferences::Preference* AgentPreferences::preference_of(const std::string& agent_key) {
    const auto place = preferences_.find(agent_key);
    if (place != preferences_.end()) {
        return &place->second;
    }
    return preferences_.size() < max_agents_ ? &preferences_[agent_key] : nullptr;
}

void AgentPreferences::drop_if_empty(const std::string& agent_key) {
    const auto place = preferences_.find(agent_key);
    if (place->second.uris.empty() && place->second.level.empty()) {
        preferences_.erase(place);
    }
}

}  // namespace holdfast::downstream
