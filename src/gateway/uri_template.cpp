#include "gateway/uri_template.hpp"

#include <algorithm>

namespace holdfast::gateway {
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

}  // namespace

bool matches_template(std::string_view uri, std::string_view uri_template) noexcept {
    const std::size_t open = uri_template.find('{');
    const std::string_view literal = uri_template.substr(0, open);
    if (!uri.starts_with(literal)) {
        return false;
    }
    uri.remove_prefix(literal.size());
    if (open == std::string_view::npos) {
        return uri.empty();
    }
    const std::size_t close = uri_template.find('}', open);
    if (close == std::string_view::npos) {
        return false;
    }
    const Expression expression = described(uri_template.substr(open + 1, close - open - 1));
    const std::string_view rest = uri_template.substr(close + 1);
    // The next literal part is taken at its first occurrence: templates with two variables side by
    // side are not worth a search through all ways to cut.
    const std::string_view next = rest.substr(0, rest.find('{'));
    const std::size_t end = next.empty() ? uri.size() : uri.find(next);
    if (end == std::string_view::npos || (end == 0 && !expression.may_be_empty)) {
        return false;
    }
    const std::string_view value = uri.substr(0, end);
    if (!expression.takes_slashes && value.find('/') != std::string_view::npos) {
        return false;
    }
    return matches_template(uri.substr(end), rest);
}

}  // namespace holdfast::gateway
