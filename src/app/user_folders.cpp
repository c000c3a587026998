#include "app/user_folders.hpp"

namespace holdfast::app {

UserFolders user_folders(
    const std::function<std::optional<std::string>(const std::string&)>& variable) {
    const std::string home = variable("HOME").value_or("");
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

}  // namespace holdfast::app
