#pragma once

#include <optional>
#include <string>

namespace holdfast::platform {

/// Returns a variable of the process's environment.
[[nodiscard]] std::optional<std::string> environment_variable(const std::string& name);

}  // namespace holdfast::platform
