#include "platform/user_folders.hpp"

#include <pwd.h>
#include <unistd.h>

#include <array>

namespace holdfast::platform {
namespace {

// Reads the home folder from the user database: services may start without HOME.
std::string home_in_user_table() {
    std::array<char, 4096> texts{};
    passwd entry{};
    passwd* found = nullptr;
    const int error = ::getpwuid_r(::getuid(), &entry, texts.data(), texts.size(), &found);
    return error == 0 && found != nullptr ? std::string{found->pw_dir} : std::string{};
}

}  // namespace

UserFolders user_folders(
    const std::function<std::optional<std::string>(const std::string&)>& variable) {
    const std::string said = variable("HOME").value_or("");
    const std::string home = said.starts_with('/') ? said : home_in_user_table();
    const auto folder = [&variable](const char* name, const std::string& otherwise) {
        const std::string base = variable(name).value_or("");
        return base.starts_with('/') ? base + "/holdfast" : otherwise;
    };
    UserFolders folders;
    folders.config = folder("XDG_CONFIG_HOME", home + "/.config/holdfast");
    folders.data = folder("XDG_DATA_HOME", home + "/.local/share/holdfast");
    folders.cache = folder("XDG_CACHE_HOME", home + "/.cache/holdfast");
    folders.runtime = folder("XDG_RUNTIME_DIR", folders.cache + "/run");
    return folders;
}

}  // namespace holdfast::platform
