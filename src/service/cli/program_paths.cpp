#include "cli/program_paths.hpp"

#include <algorithm>
#include <filesystem>
#include <string_view>
#include <system_error>

#include "platform/environment.hpp"
#include "platform/user_folders.hpp"

namespace holdfast::cli {
namespace {

namespace fs = std::filesystem;

bool is_plain(char one) {
    const bool is_letter = (one >= 'a' && one <= 'z') || (one >= 'A' && one <= 'Z');
    return is_letter || (one >= '0' && one <= '9') ||
           std::string_view{"/._-+:,@%="}.find(one) != std::string_view::npos;
}

}  // namespace

std::string own_program() {
    std::error_code error;
    const fs::path path = fs::read_symlink("/proc/self/exe", error);
    return error ? "holdfast" : path.string();
}

std::string command_for(const std::string& program, const std::string& search_path) {
    const std::string name = fs::path{program}.filename().string();
    std::string_view rest = search_path;
    while (!rest.empty()) {
        const std::string_view folder = rest.substr(0, rest.find(':'));
        rest.remove_prefix(std::min(folder.size() + 1, rest.size()));
        std::error_code error;
        const fs::path candidate = fs::path{folder} / name;
        if (folder.starts_with('/') && fs::exists(candidate, error)) {
            // Only the first of that name would be started.
            return fs::equivalent(candidate, program, error) && !error ? name : program;
        }
    }
    return program;
}

std::string user_config_file() {
    return platform::user_folders(platform::environment_variable).config + "/config.json";
}

std::string absolute_path(const std::string& path) {
    std::error_code error;
    const fs::path absolute = fs::absolute(path, error);
    if (error) {
        return path;
    }
    const fs::path normal = absolute.lexically_normal();
    return (normal.has_filename() ? normal : normal.parent_path()).string();
}

std::string shell_word(const std::string& text) {
    if (!text.empty() && std::ranges::all_of(text, is_plain)) {
        return text;
    }
    std::string word = "'";
    for (const char one : text) {
        word += one == '\'' ? std::string{"'\\''"} : std::string{one};
    }
    return word + "'";
}

}  // namespace holdfast::cli
