#include "base/http_token.hpp"

#include <cstddef>

#include "base/letter_case.hpp"

namespace holdfast::base {
namespace {

// Does not branch on each character: nearly all texts are accepted.
bool are_all_of_class(std::string_view text, HttpClass wanted) noexcept {
    auto common = static_cast<std::uint8_t>(wanted);
    for (const char character : text) {
        common &= kHttpClasses[static_cast<unsigned char>(character)];
    }
    return common != 0;
}

}  // namespace

bool is_token(std::string_view text) noexcept {
    return !text.empty() && are_all_of_class(text, HttpClass::token);
}

bool is_header_value(std::string_view text) noexcept {
    return are_all_of_class(text, HttpClass::value);
}

bool is_visible(std::string_view text) noexcept {
    return are_all_of_class(text, HttpClass::visible);
}

std::string_view take_list_part(std::string_view& list) noexcept {
    const std::size_t comma = list.find(',');
    const std::string_view part = trimmed_value(list.substr(0, comma));
    list.remove_prefix(comma == std::string_view::npos ? list.size() : comma + 1);
    return part;
}

bool has_list_part(std::string_view list, std::string_view part) noexcept {
    while (!list.empty()) {
        if (equals_ignoring_case(take_list_part(list), part)) {
            return true;
        }
    }
    return false;
}

}  // namespace holdfast::base
