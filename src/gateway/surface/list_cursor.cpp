#include "surface/list_cursor.hpp"

#include <charconv>

namespace holdfast::surface {
namespace {

template <class Number>
bool take_number(std::string_view& text, Number& number) noexcept {
    const char* begin = text.data();
    const char* end = begin + text.size();
    const auto [rest, error] = std::from_chars(begin, end, number);
    if (error != std::errc{}) {
        return false;
    }
    text.remove_prefix(static_cast<std::size_t>(rest - text.data()));
    return true;
}

}  // namespace

std::string ListCursor::text() const {
    return std::to_string(generation) + "-" + std::to_string(offset);
}

std::optional<ListCursor> parsed_cursor(std::string_view text) noexcept {
    ListCursor cursor;
    if (!take_number(text, cursor.generation) || !text.starts_with('-')) {
        return std::nullopt;
    }
    text.remove_prefix(1);
    if (!take_number(text, cursor.offset) || !text.empty()) {
        return std::nullopt;
    }
    return cursor;
}

}  // namespace holdfast::surface
