#include "runtime/config_file.hpp"

#include <filesystem>
#include <ostream>
#include <string_view>

#include "config/read_config.hpp"
#include "platform/environment.hpp"
#include "platform/read_file.hpp"
#include "platform/user_folders.hpp"

namespace holdfast::runtime {
namespace {

namespace fs = std::filesystem;

std::optional<std::string> found_file(const std::string& file, std::ostream& log) {
    if (!file.empty()) {
        return file;
    }
    const std::string own =
        platform::user_folders(platform::environment_variable).config + "/config.json";
    for (const std::string& candidate : {std::string{".mcp.json"}, own}) {
        std::error_code ignored;
        if (fs::exists(candidate, ignored)) {
            return candidate;
        }
    }
    log << "holdfast: there is no config: neither .mcp.json in this folder nor " << own
        << "; name one with --config.\n";
    return std::nullopt;
}

std::optional<std::string> text_of_file(const std::string& file, std::ostream& log) {
    constexpr std::size_t kMaxConfigBytes = std::size_t{16} * 1024 * 1024;
    auto text = platform::read_file(file, kMaxConfigBytes);
    if (!text) {
        log << "holdfast: " << text.error().message << ".\n";
        return std::nullopt;
    }
    return *std::move(text);
}

}  // namespace

std::optional<config::Config> load_config(const std::string& file, std::ostream& log) {
    const auto found = found_file(file, log);
    const auto text = found ? text_of_file(*found, log) : std::nullopt;
    if (!text) {
        return std::nullopt;
    }
    auto outcome = config::read_config(*found, *text, [](std::string_view name) {
        return platform::environment_variable(std::string{name});
    });
    for (const config::ConfigFault& warning : outcome.warnings) {
        log << "holdfast: warning: " << warning.text() << "\n";
    }
    if (!outcome.config) {
        for (const config::ConfigFault& fault : outcome.config.error()) {
            log << "holdfast: " << fault.text() << "\n";
        }
        return std::nullopt;
    }
    return std::move(*outcome.config);
}

}  // namespace holdfast::runtime
