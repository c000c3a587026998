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

/// The rules of one server that do not depend on the tool.
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

/// The contents of a table. The parts point at each other, so they must not move.
struct TableParts {
    TableParts() = default;
    TableParts(const TableParts&) = delete;
    TableParts& operator=(const TableParts&) = delete;
    ~TableParts() = default;

    PolicyLayer built_in = {};
    Fragment file = {};
    Presets presets = {};                      ///< The presets in use.
    const Fragment* gateway_preset = nullptr;  ///< Null = none.
    Layers root = {};                          ///< Independent of the server.
    std::map<std::string, ServerPart, std::less<>> servers = {};
    /// Changes of circuits by servers' entries, by the circuit's name in the gateway.
    std::map<std::string, PolicyLayer, std::less<>> circuit_changes = {};
    SweepOptions sweep = {};
};

}  // namespace holdfast::policy
