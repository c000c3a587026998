#pragma once

#include <cstddef>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::config {

/// Collects the values that must not be seen in a log, an error or telemetry. Ignores short
/// ones: hiding every "1" or "true" would hide nothing and spoil every text.
///
/// Thread-safety: none.
class SecretList final {
public:
    static constexpr std::size_t kMinSecretBytes = 6;

    void add(std::string_view value);
    /// Also adds what follows the scheme, as in "Bearer …".
    void add_header_value(std::string_view value);

    /// Sorted, each once.
    [[nodiscard]] std::vector<std::string> values() const {
        return {values_.begin(), values_.end()};
    }

private:
    std::set<std::string, std::less<>> values_;
};

}  // namespace holdfast::config
