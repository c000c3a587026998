#include <algorithm>
#include <memory>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "base/nearest_name.hpp"
#include "cli/commands/commands.hpp"
#include "cli/common_options.hpp"
#include "cli/exit_code.hpp"
#include "cli/output/text_table.hpp"
#include "jsonrpc/json_writer.hpp"
#include "jsonrpc/members.hpp"
#include "policy/presets.hpp"

namespace holdfast::cli {
namespace {

struct PresetsOptions {
    std::string name = {};  ///< Empty = all are listed.
    bool as_json = false;
};

/// What it can be named by: an entry of `mcpServers`, or the whole file.
std::string purpose_of(const policy::Preset& preset) {
    return jsonrpc::text_member_of(preset.text, "for");
}

void print_list(bool as_json, std::ostream& out) {
    if (as_json) {
        jsonrpc::JsonWriter writer;
        writer.begin_array();
        for (const policy::Preset& preset : policy::presets()) {
            writer.begin_object();
            writer.key("name").text(preset.name);
            writer.key("for").text(purpose_of(preset));
            writer.key("description").text(preset.description);
            writer.end_object();
        }
        writer.end_array();
        out << writer.take() << '\n';
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
    errors << "holdfast: no preset \"" << name << "\"; ";
    if (const auto meant = base::likely_name(name, names)) {
        errors << "did you mean \"" << *meant << "\"? ";
    }
    errors << "\"holdfast presets\" lists them\n";
    return kExitUsage;
}

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

}  // namespace

Command presets_command() {
    const auto options = std::make_shared<PresetsOptions>();
    return {.name = "presets",
            .help = "List the built-in presets, or print one",
            .examples = {"holdfast presets ucp"},
            .options = {{.name = "name", .help = "Preset to print", .target = &options->name},
                        json_option(options->as_json)},
            .run = [options](std::ostream& out, std::ostream& errors) {
                return run_presets(*options, out, errors);
            }};
}

}  // namespace holdfast::cli
