#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/client/run_with_client.hpp"
#include "cli/commands/commands.hpp"
#include "cli/common_options.hpp"
#include "cli/exit_code.hpp"
#include "cli/import/config_edit.hpp"
#include "cli/import/import_report.hpp"
#include "cli/program_paths.hpp"
#include "config/document.hpp"
#include "platform/environment.hpp"
#include "platform/private_file.hpp"
#include "platform/read_file.hpp"

namespace holdfast::cli {
namespace {

namespace fs = std::filesystem;

struct ImportOptions {
    std::vector<std::string> files = {};  ///< Empty = the usual files of the clients.
    std::string client = {};              ///< Its name; empty = all, or by the paths of the files.
    std::string config_file = {};         ///< Empty = the user's.
    bool is_dry_run = false;
    bool as_json = false;
};

constexpr std::size_t kMaxConfigBytes = std::size_t{64} * 1024 * 1024;
constexpr std::string_view kNewConfig =
    "// Config of Holdfast, created by \"holdfast import\". \"holdfast init\" writes one with "
    "comments.\n{\n}\n";

std::string home_folder() {
    return platform::environment_variable("HOME").value_or("");
}

ClientRoots usual_roots() {
    const std::string config = platform::environment_variable("XDG_CONFIG_HOME").value_or("");
    return {.home = home_folder(),
            .config = config.starts_with('/') ? config : home_folder() + "/.config",
            .project = absolute_path(".")};
}

/// The files to read: those of the command line, or those that exist.
std::vector<ClientFile> files_to_read(const ImportOptions& options, std::optional<Client> client) {
    std::vector<ClientFile> files;
    for (const std::string& path : options.files) {
        ClientFile file = client_file_at(absolute_path(path));
        file.client = client.value_or(file.client);
        files.push_back(std::move(file));
    }
    if (!files.empty()) {
        return files;
    }
    for (ClientFile& file : usual_client_files(usual_roots())) {
        std::error_code ignored;
        if (fs::is_regular_file(file.path, ignored) &&
            client.value_or(file.client) == file.client) {
            files.push_back(std::move(file));
        }
    }
    return files;
}

ClientServers read_servers(const ClientFile& file) {
    const auto text = platform::read_file(file.path, kMaxConfigBytes);
    return text ? servers_in(file, *text)
                : ClientServers{.servers = {}, .fault = text.error().message};
}

/// The text of the config to add to; nothing after an error, which is printed.
std::optional<std::string> text_of_target(const std::string& path, std::ostream& errors) {
    std::error_code ignored;
    if (!fs::exists(path, ignored)) {
        return std::string{kNewConfig};
    }
    auto text = platform::read_file(path, kMaxConfigBytes);
    if (!text) {
        errors << "holdfast: " << text.error().message << ".\n";
        return std::nullopt;
    }
    return std::move(*text);
}

/// The document to add to; nothing after an error, which is printed.
std::optional<config::Node> target_document(const std::string& path, const std::string& text,
                                            std::ostream& errors) {
    config::FaultReport report{path};
    auto root = config::read_document(text, report);
    for (const config::ConfigFault& fault : report.take_faults()) {
        errors << "holdfast: " << fault.text() << "\n";
        root.reset();
    }
    return root;
}

/// The target of a symbolic link, so that the link is not replaced.
std::string real_path(const std::string& path) {
    std::error_code error;
    const fs::path real = fs::canonical(path, error);
    return error ? path : real.string();
}

/// Replaces the file and keeps its permissions.
std::optional<platform::FileFault> write_config(const std::string& path, const std::string& text) {
    const std::string real = real_path(path);
    std::error_code is_new;
    const fs::file_status before = fs::status(real, is_new);
    if (auto fault = platform::replace_atomically(real, text)) {
        return fault;
    }
    if (!is_new && fs::exists(before)) {
        std::error_code ignored;  // then its owner alone may read it
        fs::permissions(real, before.permissions(), ignored);
    }
    return std::nullopt;
}

/// Reads everything and writes the config. The exit code if that failed.
std::optional<int> import_into(ImportReport& report, const std::vector<ClientFile>& files,
                               bool is_dry_run, std::ostream& errors) {
    const std::string& path = report.address.config_file;
    auto text = text_of_target(path, errors);
    const auto document = text ? target_document(path, *text, errors) : std::nullopt;
    if (!document) {
        return kExitConfig;
    }
    const config::Node* servers = document->find("mcpServers");
    ImportPlanner planner{
        servers == nullptr ? document->find("servers") : servers, home_folder(),
        [](std::string_view name) { return platform::environment_variable(std::string{name}); }};
    for (const ClientFile& file : files) {
        planner.add(file, read_servers(file));
    }
    report.plan = planner.take();
    if (is_dry_run || report.plan.added.empty()) {
        return std::nullopt;
    }
    const auto changed = with_servers(path, std::move(*text), report.plan.added);
    const auto fault = changed ? write_config(path, *changed)
                               : std::optional{platform::FileFault{changed.error().message}};
    if (fault) {
        errors << "holdfast: " << fault->message << ".\n";
        return kExitFailure;
    }
    report.is_written = true;
    return std::nullopt;
}

/// Adds the servers of the clients' configs to ours, and shows how to connect the clients to
/// Holdfast. Changes no file of a client. Returns the exit code.
int run_import(const ImportOptions& options, std::ostream& out, std::ostream& errors) {
    const auto client = client_named(options.client);
    const std::vector<ClientFile> files = files_to_read(options, client);
    if (files.empty()) {
        errors << "holdfast: found no config of " << (client ? title_of(*client) : "any client")
               << "; name a file to import\n";
        return kExitFailure;
    }
    ImportReport report;
    report.address = {.program = own_program(),
                      .config_file = absolute_path(
                          options.config_file.empty() ? user_config_file() : options.config_file),
                      .url = kDefaultGatewayUrl};
    if (const auto exit_code = import_into(report, files, options.is_dry_run, errors)) {
        return *exit_code;
    }
    out << (options.as_json ? report_json(report) : report_text(report));
    const bool is_all_read = std::ranges::all_of(
        report.plan.files, [](const ImportedFile& file) { return file.fault.empty(); });
    return is_all_read ? kExitSuccess : kExitFailure;
}

}  // namespace

Command import_command() {
    const auto options = std::make_shared<ImportOptions>();
    return {.name = "import",
            .help = "Import the servers of Claude, Cursor and VS Code",
            .examples = {"holdfast import --client cursor --dry-run"},
            .options = {{.name = "files",
                         .help = "Configs to read (default: all that are found)",
                         .target = &options->files},
                        {.name = "--client",
                         .help = "Import only from this client",
                         .target = &options->client,
                         .choices = {"claude-desktop", "claude-code", "cursor", "vscode"}},
                        {.name = "--config",
                         .help = "Config to add to (default: the user's)",
                         .target = &options->config_file},
                        {.name = "--dry-run",
                         .help = "Show what would be imported, write nothing",
                         .target = &options->is_dry_run},
                        json_option(options->as_json)},
            .run = [options](std::ostream& out, std::ostream& errors) {
                return run_import(*options, out, errors);
            }};
}

}  // namespace holdfast::cli
