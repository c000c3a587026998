#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "config/server_config.hpp"
#include "policy/policy_table.hpp"
#include "policy/reading/fragment.hpp"
#include "policy/reading/policy_layer.hpp"

namespace holdfast::policy {

using Layers = std::vector<const PolicyLayer*>;

/// What is known of one server before anybody asks for a tool.
struct ServerPart {
    std::string name = {};
    const Fragment* preset = nullptr;  ///< Null = none.
    PolicyLayer limits = {};
    PolicyLayer timeouts = {};
    Layers base = {};  ///< Below the tool rules of presets.
    Layers own = {};   ///< Above them.
    std::shared_ptr<const ErrorClasses> classes = builtin_classes();
    config::ReconnectOptions reconnect = {};
};

/// Everything in a table. The parts point at each other, so they stay where they are.
struct TableParts {
    TableParts() = default;
    TableParts(const TableParts&) = delete;
    TableParts& operator=(const TableParts&) = delete;
    ~TableParts() = default;

    PolicyLayer built_in = {};
    Fragment file = {};
    Presets presets = {};                      ///< Those in use.
    const Fragment* gateway_preset = nullptr;  ///< Null = none.
    Layers root = {};                          ///< What does not depend on the server.
    std::map<std::string, ServerPart, std::less<>> servers = {};
    /// What the entries of servers change about circuits, by the name in the whole gateway.
    std::map<std::string, PolicyLayer, std::less<>> circuit_changes = {};
    SweepOptions sweep = {};
};

}  // namespace holdfast::policy
