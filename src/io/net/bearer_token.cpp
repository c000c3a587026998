#include "net/bearer_token.hpp"

#include <algorithm>
#include <cstddef>

namespace holdfast::net {

std::optional<std::string_view> bearer_token(const net::HttpRequest& request) {
    constexpr std::string_view kScheme = "bearer ";
    const auto value = request.headers.find("Authorization");
    if (!value || value->size() < kScheme.size()) {
        return std::nullopt;
    }
    for (std::size_t index = 0; index < kScheme.size(); ++index) {
        const char letter = (*value)[index];
        const bool is_capital = letter >= 'A' && letter <= 'Z';
        if ((is_capital ? static_cast<char>(letter + ('a' - 'A')) : letter) != kScheme[index]) {
            return std::nullopt;
        }
    }
    std::string_view shown = value->substr(kScheme.size());
    shown.remove_prefix(std::min(shown.find_first_not_of(' '), shown.size()));
    return shown;
}

}  // namespace holdfast::net
