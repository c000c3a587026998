#include "runtime/loading/admin_config.hpp"

#include "config/object_reader.hpp"
#include "net/address.hpp"

namespace holdfast::runtime {
namespace {

void check_address(const config::ObjectReader& reader, const config::Node& section,
                   const AdminConfig& admin) {
    const config::Node* const written = section.find("http");
    if (written == nullptr || admin.http.empty()) {
        return;
    }
    const auto address = net::parsed_address(admin.http);
    if (!address) {
        reader.refuse(*written, "http", "must be an address such as 127.0.0.1:7333");
    } else if (!address->is_loopback() && admin.token.empty()) {
        reader.refuse(*written, "http",
                      "others than this host can reach that address: set admin.token too, or "
                      "listen on 127.0.0.1");
    }
}

}  // namespace

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
    reader.read_text("http", admin.http);
    reader.read_text("token", admin.token);
    reader.read_bool("statusTool", admin.agents.has_status_tool);
    reader.read_bool("explainTool", admin.agents.has_explain_tool);
    reader.read_bool("statusResource", admin.agents.has_status_resource);
    reader.refuse_unknown();
    check_address(reader, *section, admin);
    return admin;
}

}  // namespace holdfast::runtime
