#pragma once

#include <functional>
#include <optional>
#include <string>

namespace holdfast::platform {

/// Where the files of this user lie; none of the folders need exist.
struct UserFolders {
    std::string config = {};   ///< `$XDG_CONFIG_HOME/holdfast`, else `~/.config/holdfast`.
    std::string data = {};     ///< `$XDG_DATA_HOME/holdfast`, else `~/.local/share/holdfast`.
    std::string cache = {};    ///< `$XDG_CACHE_HOME/holdfast`, else `~/.cache/holdfast`.
    std::string runtime = {};  ///< `$XDG_RUNTIME_DIR/holdfast`, else `run` in the cache.
};

/// `variable` reads the environment. A relative path in it counts as none, as the XDG Base
/// Directory Specification asks.
[[nodiscard]] UserFolders user_folders(
    const std::function<std::optional<std::string>(const std::string&)>& variable);

}  // namespace holdfast::platform
