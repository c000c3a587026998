#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "holdfast/resilience/result.hpp"

namespace holdfast::rest {

/// Why the arguments of a call cannot be turned into a request. Nothing has been sent.
struct ArgumentFault {
    std::string message;  ///< A sentence for the agent.
};

struct ArgumentLimits {
    std::size_t max_arguments = 1'024;
    std::size_t max_list_items = 1'000;  ///< In one list that becomes part of a query.
};

/// The arguments of one call, each as the JSON that the agent sent.
///
/// Thread-safety: that of a plain value.
class Arguments final {
public:
    struct Argument {
        std::string name = {};
        std::string value = {};  ///< JSON.
    };

    Arguments() = default;

    /// Reads an `arguments` object, which must be valid JSON; an empty text means no arguments.
    [[nodiscard]] static resilience::Result<Arguments, ArgumentFault> read(
        std::string_view object, const ArgumentLimits& limits = {});

    /// Returns the argument as JSON; nothing if it is absent or null.
    [[nodiscard]] std::optional<std::string_view> find(std::string_view name) const;
    [[nodiscard]] const std::vector<Argument>& all() const noexcept { return all_; }

private:
    std::vector<Argument> all_;  // each name once
};

/// Returns the plain text of a string, number or bool. Returns nothing for an object, a list or
/// null.
[[nodiscard]] std::optional<std::string> plain_text_of(std::string_view json);

/// Returns the elements of a list, each as JSON; nothing if the text is not a list or is too long.
[[nodiscard]] std::optional<std::vector<std::string>> items_of(std::string_view json,
                                                               const ArgumentLimits& limits);

}  // namespace holdfast::rest
