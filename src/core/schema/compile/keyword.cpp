#include "schema/compile/keyword.hpp"

#include <algorithm>
#include <array>

namespace holdfast::schema {
namespace {

struct Place {
    std::string_view keyword;
    Children children;
};

constexpr std::array kPlaces{
    Place{.keyword = "$defs", .children = Children::map},
    Place{.keyword = "additionalItems", .children = Children::schema},
    Place{.keyword = "additionalProperties", .children = Children::schema},
    Place{.keyword = "allOf", .children = Children::list},
    Place{.keyword = "anyOf", .children = Children::list},
    Place{.keyword = "contains", .children = Children::schema},
    Place{.keyword = "contentSchema", .children = Children::schema},
    Place{.keyword = "definitions", .children = Children::map},
    Place{.keyword = "dependencies", .children = Children::lenient_map},
    Place{.keyword = "dependentSchemas", .children = Children::map},
    Place{.keyword = "else", .children = Children::schema},
    Place{.keyword = "if", .children = Children::schema},
    Place{.keyword = "items", .children = Children::schema_or_list},
    Place{.keyword = "not", .children = Children::schema},
    Place{.keyword = "oneOf", .children = Children::list},
    Place{.keyword = "patternProperties", .children = Children::map},
    Place{.keyword = "prefixItems", .children = Children::list},
    Place{.keyword = "properties", .children = Children::map},
    Place{.keyword = "propertyNames", .children = Children::schema},
    Place{.keyword = "then", .children = Children::schema},
    Place{.keyword = "unevaluatedItems", .children = Children::schema},
    Place{.keyword = "unevaluatedProperties", .children = Children::schema},
};
static_assert(std::ranges::is_sorted(kPlaces, {}, &Place::keyword));

}  // namespace

Children children_of(std::string_view keyword) {
    const auto* const found = std::ranges::lower_bound(kPlaces, keyword, {}, &Place::keyword);
    return found != kPlaces.end() && found->keyword == keyword ? found->children : Children::none;
}

VocabularyMatch find_vocabulary(std::string_view uri) {
    constexpr std::string_view kPrefix = "https://json-schema.org/draft/2020-12/vocab/";
    if (!uri.starts_with(kPrefix)) {
        return {};
    }
    const std::string_view name = uri.substr(kPrefix.size());
    if (name == "core") {
        return {.is_known = true, .bits = kCore};
    }
    if (name == "applicator") {
        return {.is_known = true, .bits = kApplicator};
    }
    if (name == "validation") {
        return {.is_known = true, .bits = kValidation};
    }
    if (name == "unevaluated") {
        return {.is_known = true, .bits = kUnevaluated};
    }
    const bool is_annotation = name == "meta-data" || name == "format-annotation" ||
                               name == "format-assertion" || name == "content";
    return {.is_known = is_annotation, .bits = 0};
}

}  // namespace holdfast::schema
