#include "runtime/config_file.hpp"

#include <fmt/core.h>

#include <filesystem>
#include <string_view>

#include "config/read_config.hpp"
#include "platform/environment.hpp"
#include "platform/read_file.hpp"
#include "platform/user_folders.hpp"
#include "runtime/folder_trust.hpp"

namespace holdfast::runtime {
namespace {

namespace fs = std::filesystem;

struct FoundFile {
    std::string name;
    std::string text;
    bool needs_trust = false;
};

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

std::optional<FoundFile> named_file(const std::string& name, bool needs_trust,
                                    ConfigMessages& messages) {
    auto text = text_of_file(name, messages);
    if (!text) {
        return std::nullopt;
    }
    const bool is_trusted = !needs_trust || FolderTrust::of_this_user().verdict(name, *text) ==
                                                FolderTrust::Verdict::trusted;
    if (!is_trusted) {
        messages.push_back(
            {.level = logging::LogLevel::error,
             .text = fmt::format("{} has changed since you trusted it. Look at it, then run "
                                 "\"holdfast check --trust\" in its folder",
                                 name)});
        return std::nullopt;
    }
    return FoundFile{.name = name, .text = *std::move(text), .needs_trust = needs_trust};
}

bool exists(const std::string& file, ConfigMessages& messages) {
    std::error_code ignored;
    if (fs::exists(file, ignored)) {
        return true;
    }
    messages.push_back(
        {.level = logging::LogLevel::debug, .text = fmt::format("no config at {}", file)});
    return false;
}

/// Why the file in the current folder is not used.
std::string distrust_of(FolderTrust::Verdict verdict) {
    return fmt::format(
        "{} in this folder is not used: {}. Look at it, then add --trust, or name it "
        "with --config",
        kFolderFile,
        verdict == FolderTrust::Verdict::changed
            ? "it has changed since you trusted it"
            : "it names programs to start, and you have not trusted it yet");
}

std::optional<FoundFile> found_file(ConfigMessages& messages) {
    std::string distrust;
    if (exists(kFolderFile, messages)) {
        auto text = text_of_file(kFolderFile, messages);
        if (!text) {
            return std::nullopt;
        }
        const auto verdict = FolderTrust::of_this_user().verdict(kFolderFile, *text);
        if (verdict == FolderTrust::Verdict::trusted) {
            return FoundFile{.name = kFolderFile, .text = *std::move(text), .needs_trust = true};
        }
        distrust = distrust_of(verdict);
    }
    const std::string own =
        platform::user_folders(platform::environment_variable).config + "/config.json";
    if (exists(own, messages)) {
        if (!distrust.empty()) {
            messages.push_back({.level = logging::LogLevel::info, .text = distrust});
        }
        return named_file(own, false, messages);
    }
    messages.push_back(
        {.level = logging::LogLevel::error,
         .text = distrust.empty()
                     ? fmt::format("no config: there is neither {} in this folder nor {}. Create "
                                   "one with \"holdfast init\", or name one with --config",
                                   kFolderFile, own)
                     : fmt::format("no config: {}; there is no {}", distrust, own)});
    return std::nullopt;
}

}  // namespace

std::optional<config::Config> load_config(const std::string& file, ConfigMessages& messages,
                                          bool needs_trust) {
    const auto found =
        file.empty() ? found_file(messages) : named_file(file, needs_trust, messages);
    if (!found) {
        return std::nullopt;
    }
    auto outcome = config::read_config(found->name, found->text, [](std::string_view name) {
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
    outcome.config->needs_trust = found->needs_trust;
    return std::move(*outcome.config);
}

}  // namespace holdfast::runtime
