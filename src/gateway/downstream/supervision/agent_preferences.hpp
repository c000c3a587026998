#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::downstream {

/// What agents want from a downstream besides calls. Outlives every link, so that it can be applied
/// to the next one.
///
/// Thread-safety: none.
class AgentPreferences final {
public:
    /// Agents beyond `max_agents` are not stored.
    explicit AgentPreferences(std::size_t max_agents) : max_agents_(max_agents) {}

    void set_uris(const std::string& agent_key, std::vector<std::string> uris);
    /// Sets one of the protocol's levels; empty or unknown levels mean none.
    void set_level(const std::string& agent_key, std::string_view level);
    void forget(const std::string& agent_key);

    [[nodiscard]] std::vector<std::string> uris_of(const std::string& agent_key) const;
    [[nodiscard]] std::string level_of(const std::string& agent_key) const;

    /// Whether an agent has a link of its own.
    using HasOwnLink = std::function<bool(const std::string& agent_key)>;
    /// The URIs of all agents without a link of their own: sorted, without duplicates.
    [[nodiscard]] std::vector<std::string> shared_uris(const HasOwnLink& has_own) const;
    /// The most verbose level of these agents; may be empty.
    [[nodiscard]] std::string shared_level(const HasOwnLink& has_own) const;

private:
    struct Preference {
        std::vector<std::string> uris = {};
        std::string level = {};
    };

    [[nodiscard]] Preference* preference_of(const std::string& agent_key);
    void drop_if_empty(const std::string& agent_key);

    const std::size_t max_agents_;
    std::map<std::string, Preference> preferences_;
};

}  // namespace holdfast::downstream
