#pragma once

#include <memory>
#include <optional>
#include <string>

#include "app/file_watch.hpp"
#include "app/loaded_config.hpp"

namespace holdfast::app {

/// What came of reading the config file.
struct ConfigReading {
    std::optional<FileStamp> stamp = {};  ///< Of what was read, or of something before it.
    std::optional<LoadedConfig> loaded = {};
    std::string told = {};  ///< Lines for the log: what is wrong with it, or looks wrong.
};

/// Reads the file, or the one that is found if its name is empty. May be called on any thread, and
/// waits for the disk.
[[nodiscard]] std::shared_ptr<ConfigReading> read_anew(const std::string& file);

}  // namespace holdfast::app
