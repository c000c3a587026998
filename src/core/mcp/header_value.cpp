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

bool is_space(char character) noexcept {
    return kSpace.find(character) != std::string_view::npos;
}

bool is_plain(std::string_view text) noexcept {
    const auto is_visible = [](char character) {
        return (character >= ' ' && character <= '~') || character == '\t';
    };
    return is_literal_header_value(text) && std::ranges::all_of(text, is_visible);
}

}  // namespace

bool is_literal_header_value(std::string_view value) noexcept {
    return value.empty() ||
           (!is_space(value.front()) && !is_space(value.back()) && !is_wrapped(value));
}

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
