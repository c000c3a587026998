#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::downstream {

/// What agents want of a downstream besides their calls. Outlives every link, so that it can be
/// told to the next one.
///
/// Thread-safety: none.
class AgentPreferences final {
public:
    /// Agents beyond `max_agents` are not remembered.
    explicit AgentPreferences(std::size_t max_agents) : max_agents_(max_agents) {}

    void set_uris(const std::string& agent_key, std::vector<std::string> uris);
    /// One of the protocol's levels, or empty for none; anything else is none.
    void set_level(const std::string& agent_key, std::string_view level);
    void forget(const std::string& agent_key);

    [[nodiscard]] std::vector<std::string> uris_of(const std::string& agent_key) const;
    [[nodiscard]] std::string level_of(const std::string& agent_key) const;

    /// Whether an agent hears for itself, on a link of its own.
    using HasOwnLink = std::function<bool(const std::string& agent_key)>;
    /// Of all agents that do not: sorted, each once.
    [[nodiscard]] std::vector<std::string> shared_uris(const HasOwnLink& has_own) const;
    /// The most verbose that any of them wants; empty = nobody wants any.
    [[nodiscard]] std::string shared_level(const HasOwnLink& has_own) const;

private:
    struct Wish {
        std::vector<std::string> uris = {};
        std::string level = {};
    };

    [[nodiscard]] Wish* wish_of(const std::string& agent_key);
    void drop_if_empty(const std::string& agent_key);

    const std::size_t max_agents_;
    std::map<std::string, Wish> preferences_;
};

}  // namespace holdfast::downstream
