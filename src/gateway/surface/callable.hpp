#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "downstream/downstream.hpp"
#include "guard/safeguards.hpp"
#include "mcp/header_params.hpp"

namespace holdfast::surface {

class ArgumentSchema;

/// What the arguments of a tool must fulfil besides the schema that is listed.
struct ArgumentRule {
    std::string schema = {};    ///< JSON.
    std::string sentence = {};  ///< For the agent whose call breaks it.
};
using ArgumentRules = std::map<std::string, ArgumentRule, std::less<>>;

/// One downstream as the snapshots know it.
struct Server {
    std::string name = {};
    std::string transport = {};  ///< What it is reached by, for people: `stdio`, `http`, `rest` …
    std::shared_ptr<downstream::Downstream> downstream = {};  ///< Shared with the gateway.
    net::OwningLoop home = {};                                ///< The downstream's.
    /// Null when it is given to the gateway: it gets one of the built-in policy.
    std::shared_ptr<guard::ServerGuard> guard = {};
    /// What its tools say of themselves decides whether they are safe to repeat.
    bool trusts_annotations = true;
    /// Whether agents see its items as `server__name`; nothing = as for all servers.
    std::optional<bool> has_prefix = {};
    /// By the own names of its tools; null = none of them has a rule.
    std::shared_ptr<const ArgumentRules> checks = {};
};

/// A tool or prompt that can be called, with what is needed on the path of a call.
struct Callable {
    const Server* server = nullptr;
    std::string own_name = {};  ///< What its downstream calls it.
    std::string exposed_name = {};
    /// Its annotations say that it changes nothing.
    bool is_read = false;
    /// They say that repeating it does no harm.
    bool is_safe = false;
    /// They say outright that it may destroy something.
    bool is_destructive = false;
    bool has_output_schema = false;
    /// It runs as a task of the 2025-11-25 protocol only; agents see a plain tool.
    bool needs_task = false;
    std::vector<mcp::HeaderParam> header_params = {};
    /// Of a tool; shared by copies of this. Refers to the catalogue's text.
    std::shared_ptr<const ArgumentSchema> arguments = {};
};

}  // namespace holdfast::surface
