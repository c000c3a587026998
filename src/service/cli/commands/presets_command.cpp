#include "cli/commands/presets_command.hpp"

#include <algorithm>
#include <ostream>
#include <string_view>
#include <vector>

#include "base/nearest_name.hpp"
#include "cli/exit_code.hpp"
#include "cli/output/text_table.hpp"
#include "jsonrpc/json_text.hpp"
#include "jsonrpc/members.hpp"
#include "policy/presets.hpp"

namespace holdfast::cli {
namespace {

/// What it can be named by: an entry of `mcpServers`, or the whole file.
std::string purpose_of(const policy::Preset& preset) {
    return jsonrpc::text_member_of(preset.text, "for");
}

std::string json_of(const policy::Preset& preset) {
    return R"({"name":)" + jsonrpc::quoted_text(preset.name) + R"(,"for":)" +
           jsonrpc::quoted_text(purpose_of(preset)) + R"(,"description":)" +
           jsonrpc::quoted_text(preset.description) + "}";
}

void print_list(bool as_json, std::ostream& out) {
    if (as_json) {
        std::string list;
        for (const policy::Preset& preset : policy::presets()) {
            list += (list.empty() ? "" : ",") + json_of(preset);
        }
        out << "[" << list << "]\n";
        return;
    }
    TextTable table;
    for (const policy::Preset& preset : policy::presets()) {
        table.add({std::string{preset.name}, purpose_of(preset), std::string{preset.description}});
    }
    out << table.text();
}

int report_unknown(const std::string& name, std::ostream& errors) {
    std::vector<std::string_view> names;
    names.reserve(policy::presets().size());
    for (const policy::Preset& preset : policy::presets()) {
        names.push_back(preset.name);
    }
    errors << "holdfast: there is no preset \"" << name << "\"; ";
    if (const auto meant = base::likely_name(name, names)) {
        errors << "did you mean \"" << *meant << "\"? ";
    }
    errors << "\"holdfast presets\" lists them.\n";
    return kExitUsage;
}

}  // namespace

int run_presets(const PresetsOptions& options, std::ostream& out, std::ostream& errors) {
    if (options.name.empty()) {
        print_list(options.as_json, out);
        return kExitSuccess;
    }
    const auto presets = policy::presets();
    const auto found = std::ranges::find(presets, options.name, &policy::Preset::name);
    if (found == presets.end()) {
        return report_unknown(options.name, errors);
    }
    out << found->text << (found->text.ends_with('\n') ? "" : "\n");
    return kExitSuccess;
}

}  // namespace holdfast::cli
