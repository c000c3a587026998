#pragma once

#include <string>

// What this program calls itself and its files when it writes them down for others.

namespace holdfast::cli {

/// The path of the program that runs.
[[nodiscard]] std::string own_program();

/// How `program` can be started: by its name alone if `search_path` leads to it, else by its path.
[[nodiscard]] std::string command_for(const std::string& program, const std::string& search_path);

/// The config of the user, which is taken without `--config` if the current folder has none.
[[nodiscard]] std::string user_config_file();

/// The path from the root on.
[[nodiscard]] std::string absolute_path(const std::string& path);

/// The text as one word for a shell: in quotes if it needs them.
[[nodiscard]] std::string shell_word(const std::string& text);

}  // namespace holdfast::cli
