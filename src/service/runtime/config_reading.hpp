#pragma once

#include <memory>
#include <optional>
#include <string>

#include "platform/file_watch.hpp"
#include "runtime/loaded_config.hpp"

namespace holdfast::runtime {

/// The result of reading the config file.
struct ConfigReading {
    std::optional<platform::FileStamp> stamp =
        {};  ///< Of what was read, or of something before it.
    std::optional<LoadedConfig> loaded = {};
    ConfigMessages messages = {};  ///< What is wrong with it, or looks wrong.
};

/// Reads the file, or the one that is found if its name is empty. With `needs_trust` the file was
/// found in the current folder. May be called on any thread; waits for the disk.
[[nodiscard]] std::shared_ptr<ConfigReading> read_anew(const std::string& file,
                                                       bool needs_trust = false);

}  // namespace holdfast::runtime
