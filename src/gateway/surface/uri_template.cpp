#include "surface/uri_template.hpp"

#include <algorithm>

namespace holdfast::surface {
namespace {

struct Expression {
    bool takes_slashes = false;
    bool may_be_empty = false;
};

Expression described(std::string_view inside) {
    if (inside.empty()) {
        return {};
    }
    const char kind = inside.front();
    const bool is_reserved = kind == '+' || kind == '#' || kind == '/';
    const bool is_optional =
        is_reserved || kind == '?' || kind == '&' || kind == ';' || kind == '.';
    return {.takes_slashes = is_reserved || inside.ends_with('*'), .may_be_empty = is_optional};
}

// Returns the end of an expression's value that is followed by `rest`, or npos. Matches the next
// literal part at its first occurrence and the last one at the end. Templates with adjacent
// variables do not justify backtracking.
std::size_t end_of_value(std::string_view uri, std::string_view rest,
                         const Expression& expression) {
    const std::string_view next = rest.substr(0, rest.find('{'));
    if (next.empty()) {
        return uri.size();
    }
    if (next.size() == rest.size()) {
        return uri.ends_with(next) ? uri.size() - next.size() : std::string_view::npos;
    }
    return uri.find(next, expression.may_be_empty ? 0 : 1);
}

}  // namespace

bool matches_template(std::string_view uri, std::string_view uri_template) noexcept {
    for (std::size_t open = uri_template.find('{'); open != std::string_view::npos;
         open = uri_template.find('{')) {
        const std::size_t close = uri_template.find('}', open);
        if (!uri.starts_with(uri_template.substr(0, open)) || close == std::string_view::npos) {
            return false;
        }
        uri.remove_prefix(open);
        const Expression expression = described(uri_template.substr(open + 1, close - open - 1));
        uri_template.remove_prefix(close + 1);
        const std::size_t end = end_of_value(uri, uri_template, expression);
        if (end == std::string_view::npos || (end == 0 && !expression.may_be_empty)) {
            return false;
        }
        const std::string_view value = uri.substr(0, end);
        if (!expression.takes_slashes && value.find('/') != std::string_view::npos) {
            return false;
        }
        uri.remove_prefix(end);
    }
    return uri == uri_template;
}

bool has_literal_beginning(std::string_view uri_template) noexcept {
    const std::size_t colon = uri_template.find(':');
    if (colon == 0 || uri_template.find_first_of("{/?#") < colon) {
        return false;
    }
    if (colon == std::string_view::npos) {
        return false;
    }
    const std::string_view rest = uri_template.substr(colon + 1);
    const std::size_t begin = rest.find_first_not_of('/');
    if (begin == std::string_view::npos) {
        return false;
    }
    // The parts of a URN are separated by colons.
    const std::string_view path = rest.substr(begin);
    const std::size_t end = path.find_first_of(begin == 0 ? ":/?#{" : "/?#{");
    const std::string_view after = end < path.size() ? path.substr(end) : std::string_view{};
    // An expression like {?page} begins with a separator of its own.
    const bool is_whole =
        !after.starts_with('{') ||
        (after.size() > 1 && std::string_view{"/?#&;"}.find(after[1]) != std::string_view::npos);
    return end > 0 && is_whole;
}

}  // namespace holdfast::surface
