#pragma once

#include <string>
#include <string_view>

namespace holdfast::base {

/// Returns the text with ASCII letters in lower case, independent of the locale.
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
