#include "config/package_runner.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>
#include <string_view>

namespace holdfast::config {
namespace {

using Arguments = std::span<const std::string>;

/// How a program is asked to fetch and run a package.
struct Runner {
    std::string_view program;
    std::string_view command = {};          ///< Its first argument; empty = it needs none.
    std::string_view second = {};           ///< Its second argument; empty = it needs none.
    std::string_view package_options = {};  ///< Options that name the package, each with a comma.
    std::string_view value_options = {};    ///< Options with a value, each with a comma.
    /// Options have values, except these, each with a comma.
    std::string_view flags = {};
};

constexpr std::string_view kNpxPackage = "-p,--package,";
constexpr std::string_view kNpxValues = "-c,--call,-w,--workspace,--registry,--cache,--prefix,";
constexpr std::string_view kUvPackage = "--from,";
constexpr std::string_view kUvValues =
    "--with,--with-editable,--with-requirements,-p,--python,--index,--default-index,-i,"
    "--index-url,--extra-index-url,-f,--find-links,--cache-dir,--directory,--project,-w,-c,"
    "--constraints,--env-file,--refresh-package,-P,--upgrade-package,--prerelease,";
constexpr std::string_view kContainerFlags =
    "-i,-t,-d,-it,-ti,-P,-q,--rm,--init,--interactive,--tty,--detach,--privileged,--read-only,"
    "--quiet,--no-healthcheck,--publish-all,--sig-proxy,--oom-kill-disable,";

constexpr std::array<Runner, 16> kRunners = {{
    {.program = "npx", .package_options = kNpxPackage, .value_options = kNpxValues},
    {.program = "bunx", .package_options = kNpxPackage},
    {.program = "pnpx", .package_options = "--package,"},
    {.program = "uvx", .package_options = kUvPackage, .value_options = kUvValues},
    {.program = "npm",
     .command = "exec",
     .package_options = kNpxPackage,
     .value_options = kNpxValues},
    {.program = "npm", .command = "x", .package_options = kNpxPackage, .value_options = kNpxValues},
    {.program = "bun", .command = "x", .package_options = kNpxPackage},
    {.program = "pnpm", .command = "dlx", .package_options = "--package,"},
    {.program = "yarn", .command = "dlx", .package_options = kNpxPackage},
    {.program = "uv",
     .command = "tool",
     .second = "run",
     .package_options = kUvPackage,
     .value_options = kUvValues},
    {.program = "uv", .command = "run", .value_options = kUvValues},
    {.program = "pipx", .command = "run", .package_options = "--spec,"},
    {.program = "docker", .command = "run", .flags = kContainerFlags},
    {.program = "docker", .command = "container", .second = "run", .flags = kContainerFlags},
    {.program = "podman", .command = "run", .flags = kContainerFlags},
    {.program = "nerdctl", .command = "run", .flags = kContainerFlags},
}};

bool is_in(std::string_view list, std::string_view option) {
    while (!list.empty()) {
        const std::size_t end = list.find(',');
        if (list.substr(0, end) == option) {
            return true;
        }
        list.remove_prefix(end + 1);
    }
    return false;
}

std::string_view file_name(std::string_view path) {
    return path.substr(path.rfind('/') + 1);
}

bool takes_value(const Runner& runner, std::string_view option) {
    if (option.find('=') != std::string_view::npos) {
        return false;
    }
    return runner.flags.empty() ? is_in(runner.value_options, option)
                                : !is_in(runner.flags, option);
}

std::string package_in(const Runner& runner, Arguments arguments) {
    for (std::size_t index = 0; index < arguments.size(); ++index) {
        const std::string_view argument = arguments[index];
        const std::size_t equals = argument.find('=');
        const bool has_next = index + 1 < arguments.size();
        if (argument == "--") {
            return has_next ? arguments[index + 1] : std::string{};
        }
        if (!argument.starts_with('-')) {
            return std::string{argument};
        }
        if (is_in(runner.package_options, argument.substr(0, equals))) {
            if (equals != std::string_view::npos) {
                return std::string{argument.substr(equals + 1)};
            }
            return has_next ? arguments[index + 1] : std::string{};
        }
        if (takes_value(runner, argument)) {
            ++index;
        }
    }
    return {};
}

/// Returns how many arguments select the runner's mode; nothing if they select another one.
std::optional<std::size_t> mode_size(const Runner& runner, Arguments arguments) {
    std::size_t size = 0;
    for (const std::string_view word : {runner.command, runner.second}) {
        if (word.empty()) {
            break;
        }
        if (size >= arguments.size() || arguments[size] != word) {
            return std::nullopt;
        }
        ++size;
    }
    return size;
}

}  // namespace

std::optional<PackageRunner> package_runner_of(const StdioTarget& target) {
    const std::string_view program = file_name(target.command);
    for (const Runner& runner : kRunners) {
        if (runner.program != program) {
            continue;
        }
        if (const auto skipped = mode_size(runner, target.args)) {
            return PackageRunner{
                .program = std::string{program},
                .package = package_in(runner, Arguments{target.args}.subspan(*skipped))};
        }
    }
    return std::nullopt;
}

}  // namespace holdfast::config
