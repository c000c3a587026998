#include "base/glob.hpp"

#include <cstddef>

namespace holdfast::base {

bool glob_matches(std::string_view pattern, std::string_view text) noexcept {
    std::size_t at = 0;  // index in the pattern
    std::size_t star = std::string_view::npos;
    std::size_t behind_star = 0;  // index in the text where the match of the last star ends
    for (std::size_t next = 0; next < text.size();) {
        if (at < pattern.size() && pattern[at] == '*') {
            star = at++;
            behind_star = next;
        } else if (at < pattern.size() && (pattern[at] == '?' || pattern[at] == text[next])) {
            ++at;
            ++next;
        } else if (star != std::string_view::npos) {
            at = star + 1;
            next = ++behind_star;
        } else {
            return false;
        }
    }
    return pattern.find_first_not_of('*', at) == std::string_view::npos;
}

}  // namespace holdfast::base
