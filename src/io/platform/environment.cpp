#include "platform/environment.hpp"

#include <cstdlib>

namespace holdfast::platform {

std::optional<std::string> environment_variable(const std::string& name) {
    // This process never sets a variable.
    const char* value = std::getenv(name.c_str());  // NOLINT(concurrency-mt-unsafe)
    return value == nullptr ? std::nullopt : std::optional<std::string>{value};
}

}  // namespace holdfast::platform
