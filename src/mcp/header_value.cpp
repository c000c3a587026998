#include "mcp/header_value.hpp"

#include <algorithm>

#include "mcp/base64.hpp"

namespace holdfast::mcp {
namespace {

constexpr std::string_view kWrapperStart = "=?base64?";
constexpr std::string_view kWrapperEnd = "?=";
constexpr std::string_view kSpace = " \t";

bool is_wrapped(std::string_view value) noexcept {
    return value.size() >= kWrapperStart.size() + kWrapperEnd.size() &&
           value.starts_with(kWrapperStart) && value.ends_with(kWrapperEnd);
}

bool is_plain(std::string_view text) noexcept {
    const auto is_visible = [](char character) {
        return (character >= ' ' && character <= '~') || character == '\t';
    };
    const bool has_outer_space =
        !text.empty() && (kSpace.find(text.front()) != std::string_view::npos ||
                          kSpace.find(text.back()) != std::string_view::npos);
    return !has_outer_space && std::ranges::all_of(text, is_visible) && !is_wrapped(text);
}

}  // namespace

std::string header_value_of(std::string_view text) {
    if (is_plain(text)) {
        return std::string{text};
    }
    return std::string{kWrapperStart}.append(base64_of(text)).append(kWrapperEnd);
}

std::optional<std::string> text_of_header_value(std::string_view value) {
    const std::size_t first = value.find_first_not_of(kSpace);
    if (first == std::string_view::npos) {
        return "";
    }
    value = value.substr(first, value.find_last_not_of(kSpace) - first + 1);
    if (!is_wrapped(value)) {
        return std::string{value};
    }
    value.remove_prefix(kWrapperStart.size());
    value.remove_suffix(kWrapperEnd.size());
    return bytes_of_base64(value);
}

}  // namespace holdfast::mcp
