#pragma once

#include <functional>
#include <optional>
#include <string>

namespace holdfast::platform {

/// The folders for files of this user; they need not exist.
struct UserFolders {
    std::string config = {};  ///< `$XDG_CONFIG_HOME/holdfast`, otherwise `~/.config/holdfast`.
    std::string data = {};    ///< `$XDG_DATA_HOME/holdfast`, otherwise `~/.local/share/holdfast`.
    std::string cache = {};   ///< `$XDG_CACHE_HOME/holdfast`, otherwise `~/.cache/holdfast`.
    /// `$XDG_RUNTIME_DIR/holdfast`, otherwise `run` in the cache folder.
    std::string runtime = {};
};

/// `variable` reads the environment. A relative path in a variable is ignored, as the XDG Base
/// Directory Specification requires.
[[nodiscard]] UserFolders user_folders(
    const std::function<std::optional<std::string>(const std::string&)>& variable);

}  // namespace holdfast::platform
