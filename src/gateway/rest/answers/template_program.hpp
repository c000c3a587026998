#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

// A compiled answer template. `template_parser` builds it, `template_renderer` runs it.

namespace holdfast::rest {

enum class Filter : std::uint8_t {
    cut,        ///< The first N characters, with a mark where the text was cut.
    join,       ///< Joins the items of a list into one text.
    sort,       ///< Sorts a list by its items or by one of their members.
    first,      ///< The first N items of a list.
    count,      ///< The number of items.
    decimals,   ///< A number with N decimals.
    plural,     ///< A count with a noun: "1 result", "2 results".
    line,       ///< A text on one line.
    otherwise,  ///< A text instead of an absent or empty value.
};

struct FilterStep {
    Filter kind = Filter::count;
    std::size_t number = 0;
    std::vector<std::string> texts = {};
};

/// Where the path of a value begins.
enum class Origin : std::uint8_t {
    literal,    ///< A text in quotes.
    item,       ///< The item of the innermost section; the whole answer outside of sections.
    answer,     ///< The whole answer.
    arguments,  ///< The arguments of the call.
    number,     ///< The number of the item, starting at 1.
};

struct Expression {
    Origin origin = Origin::item;
    std::vector<std::string> keys = {};
    std::string literal = {};
    std::vector<FilterStep> filters = {};
    /// Index into `Program::fields`, set if the absence of the field deserves a warning.
    std::optional<std::size_t> field = std::nullopt;
};

struct Step {
    enum class Kind : std::uint8_t { text, value, section };

    Kind kind = Kind::text;
    std::string text = {};
    Expression expression = {};
    /// For a section: its body is the steps after this one up to `otherwise`; the steps from
    /// `otherwise` to `end` run for an empty value.
    std::size_t otherwise = 0;
    std::size_t end = 0;
};

struct Program {
    std::vector<Step> steps = {};
    std::vector<std::string> fields = {};  ///< Full paths, for example `results[].title`.
};

}  // namespace holdfast::rest
