#pragma once

#include <string>
#include <string_view>

namespace holdfast::base {

/// The text with its Latin letters small; whatever the locale is, all else stays as it is.
[[nodiscard]] inline std::string lower_case(std::string_view text) {
    std::string result{text};
    for (char& letter : result) {
        if (letter >= 'A' && letter <= 'Z') {
            letter = static_cast<char>(letter - 'A' + 'a');
        }
    }
    return result;
}

}  // namespace holdfast::base
