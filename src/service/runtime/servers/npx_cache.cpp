#include "runtime/servers/npx_cache.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <string_view>
#include <system_error>
#include <utility>

#include "config/package_runner.hpp"
#include "platform/crypto.hpp"

namespace holdfast::runtime {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMaxPackages = 5'000;
constexpr std::size_t kFolderDigits = 16;

std::string value_of(std::span<const std::string> environment, std::string_view name) {
    for (const std::string& variable : environment) {
        if (variable.size() > name.size() && variable.starts_with(name) &&
            variable[name.size()] == '=') {
            return variable.substr(name.size() + 1);
        }
    }
    return {};
}

std::string cache_folder(std::span<const std::string> environment) {
    for (const std::string_view name : {"npm_config_cache", "NPM_CONFIG_CACHE"}) {
        if (std::string value = value_of(environment, name); !value.empty()) {
            return value;
        }
    }
    const std::string home = value_of(environment, "HOME");
    return home.empty() ? home : home + "/.npm";
}

/// Calls `look` with the path and the name of each package, until it returns false.
template <class Look>
void for_each_package(const fs::path& modules, Look look) {
    std::error_code error;
    std::size_t count = 0;
    for (fs::directory_iterator item{modules, error}, end; !error && item != end;
         item.increment(error)) {
        const std::string name = item->path().filename().string();
        std::error_code ignored;
        if (name.starts_with('.') || !item->is_directory(ignored)) {
            continue;
        }
        if (!name.starts_with('@')) {
            if (++count > kMaxPackages || !look(item->path(), name)) {
                return;
            }
            continue;
        }
        for (fs::directory_iterator scoped{item->path(), ignored}; !ignored && scoped != end;
             scoped.increment(ignored)) {
            const std::string scoped_name = scoped->path().filename().string();
            const std::string full_name = fmt::format("{}/{}", name, scoped_name);
            if (++count > kMaxPackages ||
                (!scoped_name.starts_with('.') && !look(scoped->path(), full_name))) {
                return;
            }
        }
    }
}

}  // namespace

std::optional<std::vector<std::string>> npx_packages(const config::StdioTarget& target) {
    const auto runner = config::package_runner_of(target);
    if (!runner || runner->program != "npx") {
        return std::nullopt;
    }
    std::vector<std::string> packages;
    for (std::size_t index = 0; index < target.args.size(); ++index) {
        const std::string_view argument = target.args[index];
        const bool has_next = index + 1 < target.args.size();
        if (argument == "-y" || argument == "--yes") {
            continue;
        }
        if ((argument == "-p" || argument == "--package") && has_next) {
            packages.push_back(target.args[++index]);
        } else if (argument.starts_with("--package=")) {
            packages.emplace_back(argument.substr(std::string_view{"--package="}.size()));
        } else if (argument.starts_with('-')) {
            return std::nullopt;
        } else {
            if (packages.empty()) {
                packages.emplace_back(argument);
            }
            return packages;
        }
    }
    return std::nullopt;
}

std::string npx_folder(std::vector<std::string> packages,
                       std::span<const std::string> environment) {
    const std::string cache = cache_folder(environment);
    if (cache.empty()) {
        return {};
    }
    std::ranges::sort(packages);
    std::string list;
    for (const std::string& package : packages) {
        list.append(list.empty() ? "" : "\n").append(package);
    }
    return cache + "/_npx/" + platform::sha512_text(list).substr(0, kFolderDigits);
}

std::optional<std::string> broken_package_in(const std::string& npx_folder) {
    std::optional<std::string> broken;
    for_each_package(fs::path{npx_folder} / "node_modules",
                     [&broken](const fs::path& path, const std::string& name) {
                         std::error_code error;
                         const bool is_there = fs::exists(path / "package.json", error);
                         if (!is_there && !error) {
                             broken = name;
                         }
                         return !broken;
                     });
    return broken;
}

std::string broken_package_text(const std::string& npx_folder, const std::string& package) {
    return "The npx cache is broken: " + npx_folder + "/node_modules/" + package +
           " has no package.json. Repair it with: rm -rf '" + npx_folder + "'";
}

}  // namespace holdfast::runtime
