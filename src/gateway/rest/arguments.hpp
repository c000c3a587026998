#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "holdfast/resilience/result.hpp"

namespace holdfast::rest {

/// Why the arguments of a call cannot become a request. Nothing has been sent.
struct ArgumentFault {
    std::string message;  ///< A sentence for the agent.
};

struct ArgumentLimits {
    std::size_t max_arguments = 1'024;
    std::size_t max_list_items = 1'000;  ///< Of one list that becomes part of a query.
};

/// The arguments of one call, each as the JSON that the agent wrote.
///
/// Thread-safety: that of a plain value.
class Arguments final {
public:
    struct Argument {
        std::string name = {};
        std::string value = {};  ///< JSON.
    };

    Arguments() = default;

    /// Of an `arguments` object; an empty text stands for none. Requires valid JSON.
    [[nodiscard]] static resilience::Result<Arguments, ArgumentFault> read(
        std::string_view object, const ArgumentLimits& limits = {});

    /// The value of that name as JSON; nothing if it is not there or null.
    [[nodiscard]] std::optional<std::string_view> find(std::string_view name) const;
    [[nodiscard]] const std::vector<Argument>& all() const noexcept { return all_; }

private:
    std::vector<Argument> all_;  // each name once
};

/// What a text, number or bool says, without quotes. Nothing for an object, a list or null.
[[nodiscard]] std::optional<std::string> plain_text_of(std::string_view json);

/// The elements of a list, each as JSON; nothing if it is no list or has too many.
[[nodiscard]] std::optional<std::vector<std::string>> items_of(std::string_view json,
                                                               const ArgumentLimits& limits);

}  // namespace holdfast::rest
