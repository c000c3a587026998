#include "runtime/loading/admin_config.hpp"

#include <array>

#include "config/config_keys.hpp"
#include "config/key_table.hpp"
#include "config/object_reader.hpp"
#include "config/value_kinds.hpp"
#include "net/address.hpp"

namespace holdfast::runtime {
namespace {

/// Shown as the default, since that is what an absent key means.
struct AddressKind {
    static void read(config::ObjectReader& object, std::string_view name, std::string& into) {
        object.read_text(name, into);
    }
    static config::Node schema(const std::string& /*value*/) {
        return config::with_default(config::text_schema(), config::text_node(kDefaultAdminAddress));
    }
};

constexpr std::array kAdminKeys = {
    config::key<AddressKind, &AdminConfig::http>(
        "http",
        "Address of the status page and the API. Without the key, another port is used if this one "
        "is in use. `serve --stdio` without `--http` serves neither unless the key is set"),
    config::key<config::TextKind, &AdminConfig::token>(
        "token",
        "The token for `Authorization: Bearer`, at least 16 characters; required if other hosts "
        "can "
        "reach the address"),
    config::key<config::FlagKind, &AdminConfig::agents, &admin::AgentItemsOptions::has_status_tool>(
        "statusTool", "Agents have the tool `gateway_status`"),
    config::key<config::FlagKind, &AdminConfig::agents,
                &admin::AgentItemsOptions::has_explain_tool>(
        "explainTool", "Agents have the tool `explain_call`, for their own calls"),
    config::key<config::FlagKind, &AdminConfig::agents,
                &admin::AgentItemsOptions::has_status_resource>(
        "statusResource", "Agents have the resource `holdfast://status`"),
};

void check_address(const config::ObjectReader& reader, const config::Node& section,
                   const AdminConfig& admin) {
    const config::Node* const written = section.find("http");
    if (written == nullptr || admin.http.empty()) {
        return;
    }
    const auto address = net::parsed_address(admin.http);
    if (!address) {
        reader.refuse(*written, "http", "must be HOST:PORT, for example 127.0.0.1:7333");
    } else if (!address->is_loopback() && admin.token.empty()) {
        reader.refuse(*written, "http",
                      "other hosts can reach this address: set admin.token too, or listen on "
                      "127.0.0.1");
    }
}

/// An empty variable must not turn the check off.
void check_token(const config::ObjectReader& reader, const config::Node& section,
                 const AdminConfig& admin) {
    const config::Node* const written = section.find("token");
    if (written == nullptr || written->kind != config::NodeKind::text || written->is_unresolved) {
        return;
    }
    if (admin.token.empty()) {
        reader.refuse(*written, "token",
                      "the token is empty; write one, or remove the key to use no token");
    } else if (admin.token.size() < config::kMinTokenBytes) {
        reader.refuse(*written, "token",
                      "the token is too short: others could guess it; write at least 16 "
                      "characters");
    }
}

}  // namespace

config::Node admin_schema() {
    return config::any_of({config::object_schema(config::infos_of(kAdminKeys)),
                           config::object_node({{"type", config::text_node("boolean")}})});
}

AdminConfig read_admin_config(const config::Node* section, config::FaultReport& report) {
    AdminConfig admin;
    if (section == nullptr) {
        return admin;
    }
    if (section->kind == config::NodeKind::boolean) {
        admin.is_on = section->boolean;
        if (!admin.is_on) {
            admin.agents = {
                .has_status_tool = false, .has_explain_tool = false, .has_status_resource = false};
        }
        return admin;
    }
    if (section->kind != config::NodeKind::object) {
        report.refuse(section->place, "admin: must be an object or false, not " +
                                          std::string{config::kind_phrase(*section)});
        return admin;
    }
    config::ObjectReader reader{report, *section, "admin"};
    config::read_object(reader, kAdminKeys, admin);
    check_address(reader, *section, admin);
    check_token(reader, *section, admin);
    return admin;
}

}  // namespace holdfast::runtime
