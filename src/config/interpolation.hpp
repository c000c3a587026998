#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "config/fault_report.hpp"
#include "config/node.hpp"
#include "config/secret_list.hpp"

namespace holdfast::config {

/// The value of a variable; nothing when it is not set.
using Environment = std::function<std::optional<std::string>(std::string_view)>;

struct InterpolationLimits {
    /// All texts with variables together, after their values are filled in.
    std::size_t max_expanded_bytes = std::size_t{16} * 1024 * 1024;
};

/// Fills variables in: `${NAME}`, `${env:NAME}`, `${NAME:-default}`; `$${` stands for the
/// characters
/// `${`. A variable that is set but empty is its default. A value is filled in as it is: references
/// in it are not followed. Values of variables with a secret's name go on the list of secrets.
///
/// Thread-safety: none. The report and the list must outlive it.
class Interpolator final {
public:
    Interpolator(Environment environment, FaultReport& report, SecretList& secrets,
                 const InterpolationLimits& limits = {});

    /// Fills in every text of a value, to any depth. Keys stay as they are. `path` names the value
    /// in messages.
    void expand(Node& value, const std::string& path);

private:
    void expand_text(Node& text, const std::string& path);
    /// The value of what stands between the braces; nothing after a fault.
    [[nodiscard]] std::optional<std::string> resolved(std::string_view reference, Place place,
                                                      const std::string& path);
    [[nodiscard]] std::optional<std::string> looked_up(std::string_view name,
                                                       std::optional<std::string_view> fallback);

    Environment environment_;
    FaultReport& report_;
    SecretList& secrets_;
    std::size_t bytes_left_;
};

}  // namespace holdfast::config
