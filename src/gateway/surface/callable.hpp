#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "downstream/downstream.hpp"
#include "guard/server_guard.hpp"
#include "mcp/header_params.hpp"

namespace holdfast::surface {

class ArgumentSchema;

/// A rule for the arguments of a tool in addition to its listed schema.
struct ArgumentRule {
    std::string schema = {};    ///< JSON.
    std::string sentence = {};  ///< For the agent whose call breaks it.
};
using ArgumentRules = std::map<std::string, ArgumentRule, std::less<>>;

/// One downstream as the snapshots see it.
struct Server {
    std::string name = {};
    std::string transport = {};  ///< How it is reached, for display: `stdio`, `http`, `rest` …
    std::shared_ptr<downstream::Downstream> downstream = {};  ///< Shared with the gateway.
    net::OwningLoop home = {};                                ///< The downstream's loop.
    /// May be null when passed to the gateway, which then creates one with the built-in policy.
    std::shared_ptr<guard::ServerGuard> guard = {};
    /// Whether the annotations of its tools decide which calls are safe to repeat.
    bool trusts_annotations = true;
    /// Whether agents see its items as `server__name`; unset = the default for all servers.
    std::optional<bool> has_prefix = {};
    /// By the tools' own names; null = no tool has a rule.
    std::shared_ptr<const ArgumentRules> checks = {};
};

/// A tool or prompt that can be called, with everything the call path needs.
struct Callable {
    const Server* server = nullptr;
    std::string own_name = {};  ///< Its name on the downstream.
    std::string exposed_name = {};
    /// Its annotations declare it read-only.
    bool is_read = false;
    /// Its annotations declare that repeating it is harmless.
    bool is_safe = false;
    /// Its annotations explicitly declare it destructive.
    bool is_destructive = false;
    bool has_output_schema = false;
    /// It runs only as a task of the 2025-11-25 protocol; agents see a plain tool.
    bool needs_task = false;
    std::vector<mcp::HeaderParam> header_params = {};
    /// Only for tools; shared by copies. Refers to the catalogue's text.
    std::shared_ptr<const ArgumentSchema> arguments = {};
};

}  // namespace holdfast::surface
