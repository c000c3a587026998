#pragma once

#include <cstddef>
#include <string>

namespace holdfast::base {

/// Joins at most `max_names` texts: "a, b, … and 3 more".
template <class Names>
[[nodiscard]] std::string listed_names(const Names& names, std::size_t max_names) {
    std::string text;
    std::size_t count = 0;
    for (const auto& name : names) {
        if (count == max_names) {
            return text + ", … and " + std::to_string(names.size() - count) + " more";
        }
        text.append(count++ == 0 ? "" : ", ").append(name);
    }
    return text;
}

}  // namespace holdfast::base
