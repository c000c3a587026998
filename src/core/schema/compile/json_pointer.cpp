#include "schema/compile/json_pointer.hpp"

#include <charconv>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

namespace holdfast::schema {

void append_token(std::string& pointer, std::string_view token) {
    pointer += '/';
    for (const char letter : token) {
        if (letter == '~') {
            pointer += "~0";
        } else if (letter == '/') {
            pointer += "~1";
        } else {
            pointer += letter;
        }
    }
}

void append_token(std::string& pointer, std::size_t index) {
    pointer += '/';
    pointer += std::to_string(index);
}

std::string take_token(std::string_view& pointer) {
    pointer.remove_prefix(1);
    const std::string_view raw = pointer.substr(0, pointer.find('/'));
    pointer.remove_prefix(raw.size());
    std::string token;
    for (std::size_t i = 0; i < raw.size(); ++i) {
        if (raw[i] == '~' && i + 1 < raw.size() && (raw[i + 1] == '0' || raw[i + 1] == '1')) {
            token += raw[++i] == '0' ? '~' : '/';
        } else {
            token += raw[i];
        }
    }
    return token;
}

const boost::json::value* child_of(const boost::json::value& value, std::string_view token) {
    if (const auto* const object = value.if_object()) {
        return object->if_contains(token);
    }
    const auto* const array = value.if_array();
    std::size_t index = 0;
    const auto read = std::from_chars(token.data(), token.data() + token.size(), index);
    if (array == nullptr || token.empty() || read.ec != std::errc{} ||
        read.ptr != token.data() + token.size() || index >= array->size()) {
        return nullptr;
    }
    return &(*array)[index];
}

}  // namespace holdfast::schema
