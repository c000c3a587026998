#include "runtime/config_file.hpp"

#include <fmt/core.h>

#include <filesystem>
#include <string_view>

#include "config/read_config.hpp"
#include "platform/environment.hpp"
#include "platform/read_file.hpp"
#include "platform/user_folders.hpp"

namespace holdfast::runtime {
namespace {

namespace fs = std::filesystem;

std::optional<std::string> found_file(const std::string& file, ConfigMessages& messages) {
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
        messages.push_back(
            {.level = logging::LogLevel::debug, .text = fmt::format("no config at {}", candidate)});
    }
    messages.push_back(
        {.level = logging::LogLevel::error,
         .text =
             fmt::format("no config: there is neither .mcp.json in this folder nor {}. Create one "
                         "with \"holdfast init\", or name one with --config",
                         own)});
    return std::nullopt;
}

std::optional<std::string> text_of_file(const std::string& file, ConfigMessages& messages) {
    constexpr std::size_t kMaxConfigBytes = std::size_t{16} * 1024 * 1024;
    auto text = platform::read_file(file, kMaxConfigBytes);
    if (!text) {
        messages.push_back({.level = logging::LogLevel::error, .text = text.error().message});
        return std::nullopt;
    }
    messages.push_back({.level = logging::LogLevel::debug,
                        .text = fmt::format("config read: {} ({} bytes)", file, text->size())});
    return *std::move(text);
}

}  // namespace

std::optional<config::Config> load_config(const std::string& file, ConfigMessages& messages) {
    const auto found = found_file(file, messages);
    const auto text = found ? text_of_file(*found, messages) : std::nullopt;
    if (!text) {
        return std::nullopt;
    }
    auto outcome = config::read_config(*found, *text, [](std::string_view name) {
        return platform::environment_variable(std::string{name});
    });
    for (const config::ConfigFault& warning : outcome.warnings) {
        messages.push_back({.text = warning.text()});
    }
    if (!outcome.config) {
        for (const config::ConfigFault& fault : outcome.config.error()) {
            messages.push_back({.level = logging::LogLevel::error, .text = fault.text()});
        }
        return std::nullopt;
    }
    return std::move(*outcome.config);
}

}  // namespace holdfast::runtime
