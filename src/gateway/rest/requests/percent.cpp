#include "rest/requests/percent.hpp"

namespace holdfast::rest {
namespace {

bool is_unreserved(char character) {
    return (character >= 'a' && character <= 'z') || (character >= 'A' && character <= 'Z') ||
           (character >= '0' && character <= '9') || character == '-' || character == '.' ||
           character == '_' || character == '~';
}

}  // namespace

std::string percent_escaped(std::string_view text) {
    constexpr std::string_view kDigits = "0123456789ABCDEF";
    std::string escaped;
    escaped.reserve(text.size());
    for (const char character : text) {
        if (is_unreserved(character)) {
            escaped.push_back(character);
            continue;
        }
        const auto byte = static_cast<unsigned char>(character);
        escaped.push_back('%');
        escaped.push_back(kDigits[byte >> 4U]);
        escaped.push_back(kDigits[byte & 0x0FU]);
    }
    return escaped;
}

}  // namespace holdfast::rest
