#include "support/test_agent/json_text.hpp"

#include <algorithm>

namespace holdfast::test {
namespace {

/// Returns the end of the string that begins at `begin`.
std::size_t end_of_string(std::string_view json, std::size_t begin) {
    std::size_t index = begin + 1;
    while (index < json.size() && json[index] != '"') {
        index += json[index] == '\\' ? 2 : 1;
    }
    return std::min(index + 1, json.size());
}

std::size_t end_of_value(std::string_view json, std::size_t begin) {
    std::size_t depth = 0;
    std::size_t index = begin;
    while (index < json.size()) {
        const char letter = json[index];
        if (letter == '"') {
            index = end_of_string(json, index);
        } else if (letter == '{' || letter == '[') {
            ++depth;
            ++index;
        } else if (letter == '}' || letter == ']') {
            if (depth == 0) {
                return index;
            }
            --depth;
            ++index;
        } else if (letter == ',' && depth == 0) {
            return index;
        } else {
            ++index;
            continue;
        }
        if (depth == 0) {
            return index;
        }
    }
    return json.size();
}

}  // namespace

std::string member_text(std::string_view json, std::string_view key) {
    const std::string mark = "\"" + std::string{key} + "\":";
    const std::size_t place = json.find(mark);
    if (place == std::string_view::npos) {
        return {};
    }
    const std::size_t begin = place + mark.size();
    return std::string{json.substr(begin, end_of_value(json, begin) - begin)};
}

std::string plain_text(std::string_view json) {
    std::string text;
    for (std::size_t index = 1; index + 1 < json.size(); ++index) {
        index += json[index] == '\\' ? 1U : 0U;
        text.push_back(json[index]);
    }
    return text;
}

}  // namespace holdfast::test
