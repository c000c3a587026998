#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "holdfast/resilience/result.hpp"
#include "rest/arguments.hpp"

namespace holdfast::rest {

/// Why a text is no template: a phrase that follows the name of its key.
struct TemplateFault {
    std::string message;
};

/// The path of an operation with arguments in braces: `/traces/{trace_id}/votes`. What is filled in
/// can never leave its segment: it is escaped, and what would break the path all the same is
/// refused, since some servers undo escapes before they look for the segments.
///
/// Thread-safety: immutable.
class PathTemplate final {
public:
    static constexpr std::size_t kMaxParts = 128;

    PathTemplate() = default;

    [[nodiscard]] static resilience::Result<PathTemplate, TemplateFault> parsed(
        std::string_view text);

    /// The arguments in it, in their order.
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
