#include "rest/path_template.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <optional>

#include "base/uri.hpp"

namespace holdfast::rest {
namespace {

// The characters that RFC 3986 allows in a path without escaping.
bool is_path_character(char character) {
    constexpr std::string_view kMarks = "-._~!$&'()*+,;=:@/%";
    const bool is_word = (character >= 'a' && character <= 'z') ||
                         (character >= 'A' && character <= 'Z') ||
                         (character >= '0' && character <= '9');
    return is_word || kMarks.find(character) != std::string_view::npos;
}

bool is_dot_segment(std::string_view segment) {
    return segment == "." || segment == "..";
}

bool has_dot_segment(std::string_view path) {
    while (!path.empty()) {
        const std::size_t end = std::min(path.find('/'), path.size());
        if (is_dot_segment(path.substr(0, end))) {
            return true;
        }
        path.remove_prefix(std::min(end + 1, path.size()));
    }
    return false;
}

// A server that decodes an escaped slash or backslash would see a new segment.
std::optional<std::string_view> fault_in_value(std::string_view value) {
    if (value.empty()) {
        return "must not be empty";
    }
    if (is_dot_segment(value)) {
        return "must not be \".\" or \"..\"";
    }
    if (value.find_first_of("/\\") != std::string_view::npos) {
        return "must not contain a slash or a backslash";
    }
    const bool has_control = std::ranges::any_of(value, [](char character) {
        return static_cast<unsigned char>(character) < 0x20 || character == '\x7F';
    });
    return has_control ? std::optional<std::string_view>{"must not contain control characters"}
                       : std::nullopt;
}

ArgumentFault argument_fault(std::string_view name, std::string_view what) {
    return {fmt::format("The argument \"{}\" becomes part of a path: it {}.", name, what)};
}

}  // namespace

resilience::Result<PathTemplate, TemplateFault> PathTemplate::parsed(std::string_view text) {
    if (!text.starts_with('/')) {
        return TemplateFault{"must begin with \"/\""};
    }
    PathTemplate result;
    result.parts_.clear();
    while (!text.empty()) {
        const bool is_argument = text.starts_with('{');
        const std::size_t end =
            is_argument ? text.find('}') : std::min(text.find('{'), text.size());
        if (end == std::string_view::npos || (is_argument && end == 1)) {
            return TemplateFault{"has a \"{\" without a name and a closing \"}\""};
        }
        const std::string_view part = is_argument ? text.substr(1, end - 1) : text.substr(0, end);
        if (!is_argument && !std::ranges::all_of(part, is_path_character)) {
            return TemplateFault{"has an invalid character; write it as %XX"};
        }
        if (result.parts_.size() == kMaxParts) {
            return TemplateFault{"has too many parts"};
        }
        result.parts_.push_back({.is_argument = is_argument, .text = std::string{part}});
        text.remove_prefix(is_argument ? end + 1 : end);
    }
    std::string example;
    for (const Part& part : result.parts_) {
        example += part.is_argument ? std::string{"x"} : part.text;
    }
    if (has_dot_segment(example)) {
        return TemplateFault{"must not have \".\" or \"..\" as a segment"};
    }
    return result;
}

std::vector<std::string_view> PathTemplate::parameters() const {
    std::vector<std::string_view> names;
    for (const Part& part : parts_) {
        if (part.is_argument) {
            names.push_back(part.text);
        }
    }
    return names;
}

resilience::Result<std::string, ArgumentFault> PathTemplate::expanded(
    const Arguments& arguments) const {
    std::string path;
    for (const Part& part : parts_) {
        if (!part.is_argument) {
            path += part.text;
            continue;
        }
        const auto json = arguments.find(part.text);
        const auto value = json ? plain_text_of(*json) : std::nullopt;
        if (!value) {
            return argument_fault(part.text, "must be given, as a text, a number or a bool");
        }
        if (const auto fault = fault_in_value(*value)) {
            return argument_fault(part.text, *fault);
        }
        path += base::percent_encoded(*value);
    }
    // The path cannot contain a dot segment, because no value consists of dots alone.
    return path;
}

}  // namespace holdfast::rest
