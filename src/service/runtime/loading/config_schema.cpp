#include "runtime/config_schema.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

#include "config/config_keys.hpp"
#include "config/schema_nodes.hpp"
#include "policy/policy_schemas.hpp"
#include "rest/read_rest_api.hpp"
#include "runtime/loading/admin_config.hpp"
#include "runtime/loading/search_config.hpp"
#include "telemetry/telemetry_config.hpp"

namespace holdfast::runtime {
namespace {

using config::KeyInfo;
using config::Node;
using config::object_node;
using config::text_node;

constexpr std::string_view kServerDefinition = "#/$defs/server";

/// An entry of `mcpServers`. Other programs' keys are ignored in it, except in the entry of an HTTP
/// API, which no other program has.
Node server_schema() {
    return object_node(
        {{"if", object_node({{"type", text_node("object")},
                             {"properties",
                              object_node({{"type", object_node({{"const", text_node("rest")}})}})},
                             {"required", config::list_node({text_node("type")})}})},
         {"then", config::object_schema(rest::rest_keys())},
         {"else", config::object_schema(config::server_keys(), config::UnknownKeys::ignored)}});
}

Node servers_schema() {
    return config::map_schema(object_node({{"$ref", text_node(kServerDefinition)}}));
}

constexpr std::array kSections = {
    KeyInfo{.name = "$schema",
            .description = "The schema of this file, for editors; ignored",
            .schema = config::text_schema},
    KeyInfo{.name = "mcpServers", .description = "The servers, by name", .schema = servers_schema},
    KeyInfo{.name = "servers",
            .description = "The same in a file of VS Code",
            .schema = servers_schema},
    KeyInfo{.name = "serverDefaults",
            .description = "Defaults of all servers",
            .schema = [] { return config::object_schema(config::server_defaults_keys()); }},
    KeyInfo{.name = "preset",
            .description = "The name of a built-in preset for the whole gateway",
            .schema = config::text_schema},
    KeyInfo{.name = "policies",
            .description = "How calls are handled; by name",
            .schema = policy::policies_schema},
    KeyInfo{.name = "classes",
            .description = "Classes of errors, by name",
            .schema = policy::classes_schema},
    KeyInfo{.name = "circuits",
            .description = "Circuits that servers share, by name",
            .schema = policy::circuits_schema},
    KeyInfo{.name = "tools", .description = "Rules for tools", .schema = policy::rules_schema},
    KeyInfo{.name = "agents",
            .description = "Which agents may connect",
            .schema = [] { return config::object_schema(config::agents_keys()); }},
    KeyInfo{.name = "ask",
            .description = "Questions of servers to agents",
            .schema = [] { return config::object_schema(config::ask_keys()); }},
    KeyInfo{.name = "names",
            .description = "Names that agents see",
            .schema = [] { return config::object_schema(config::names_keys()); }},
    KeyInfo{.name = "catalogue",
            .description = "Lists of tools, resources and prompts",
            .schema = [] { return config::object_schema(config::catalogue_keys()); }},
    KeyInfo{.name = "surface", .description = "Which tools agents see", .schema = surface_schema},
    KeyInfo{.name = "search", .description = "How tools are found", .schema = search_schema},
    KeyInfo{.name = "limits",
            .description = "Limits of the gateway",
            .schema = [] { return config::object_schema(config::limits_keys()); }},
    KeyInfo{.name = "telemetry",
            .description = "What is counted and stored",
            .schema = telemetry::telemetry_schema},
    KeyInfo{.name = "admin",
            .description = "The status page and the API for operators; `false` turns both off",
            .schema = admin_schema},
};

}  // namespace

Node config_schema() {
    Node schema = config::object_schema(kSections);
    Node* const properties = schema.find("properties");
    for (const std::string_view name : config::foreign_sections()) {
        properties->members.push_back(
            {.key = std::string{name},
             .value =
                 object_node({{"description", text_node("Belongs to another program; ignored")}})});
    }
    Node definitions = config::schema_definitions();
    definitions.members.push_back({.key = "server", .value = server_schema()});
    Node whole =
        object_node({{"$schema", text_node("https://json-schema.org/draft/2020-12/schema")},
                     {"title", text_node("Config of Holdfast")}});
    std::ranges::move(schema.members, std::back_inserter(whole.members));
    return config::with(std::move(whole), "$defs", std::move(definitions));
}

}  // namespace holdfast::runtime
