#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "holdfast/resilience/result.hpp"
#include "rest/arguments.hpp"

namespace holdfast::rest {

/// Why a text is not a template, as a phrase that follows the name of its key.
struct TemplateFault {
    std::string message;
};

/// The path of an operation with arguments in braces: `/traces/{trace_id}/votes`. A value can never
/// leave its segment. Values are escaped; because some servers decode escapes before they split the
/// path, values that would still change the segments are rejected.
///
/// Thread-safety: immutable.
class PathTemplate final {
public:
    static constexpr std::size_t kMaxParts = 128;

    PathTemplate() = default;

    [[nodiscard]] static resilience::Result<PathTemplate, TemplateFault> parsed(
        std::string_view text);

    /// The names of the arguments in order of appearance.
    [[nodiscard]] std::vector<std::string_view> parameters() const;
    [[nodiscard]] resilience::Result<std::string, ArgumentFault> expanded(
        const Arguments& arguments) const;

    friend bool operator==(const PathTemplate&, const PathTemplate&) = default;

private:
    struct Part {
        bool is_argument = false;
        std::string text = {};  ///< The name of the argument, or literal text.

        friend bool operator==(const Part&, const Part&) = default;
    };

    std::vector<Part> parts_ = {{.is_argument = false, .text = "/"}};
};

}  // namespace holdfast::rest
