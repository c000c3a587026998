#include "config/quantity_pattern.hpp"

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <vector>

#include "config/quantity.hpp"

namespace holdfast::config {
namespace {

constexpr std::string_view kAnyFraction = R"((\.[0-9]+)?)";
constexpr std::string_view kNoFraction = R"((\.0+)?)";
constexpr std::string_view kNonZeroFraction = R"(0*0\.[0-9]*[1-9][0-9]*)";

struct WholeRange {
    std::uint64_t min;
    std::uint64_t max;
};

std::string joined(const std::vector<std::string>& alternatives) {
    if (alternatives.size() == 1) {
        return alternatives.front();
    }
    std::string text;
    for (const std::string& alternative : alternatives) {
        text += (text.empty() ? "(" : "|") + alternative;
    }
    return text + ")";
}

/// Any digits, this many.
std::string digits(std::size_t count) {
    if (count == 0) {
        return {};
    }
    return count == 1 ? "[0-9]" : "[0-9]{" + std::to_string(count) + "}";
}

std::string one_of(char first, char last) {
    return first == last ? std::string(1, first)
                         : std::string{"["} + first + (first + 1 == last ? "" : "-") + last + "]";
}

bool has_only(std::string_view text, char digit) {
    return text.find_first_not_of(digit) == std::string_view::npos;
}

/// The numbers from `min` to `max`, which have the same number of digits.
std::string same_length_pattern(std::string_view min, std::string_view max) {
    if (has_only(min, '0') && has_only(max, '9')) {
        return digits(min.size());
    }
    const std::string_view min_rest = min.substr(1);
    const std::string_view max_rest = max.substr(1);
    if (min.front() == max.front()) {
        return min.front() + same_length_pattern(min_rest, max_rest);
    }
    std::vector<std::string> alternatives;
    char first = min.front();
    char last = max.front();
    if (!has_only(min_rest, '0')) {
        alternatives.push_back(first++ +
                               same_length_pattern(min_rest, std::string(min_rest.size(), '9')));
    }
    std::string end;
    if (!has_only(max_rest, '9')) {
        end = last-- + same_length_pattern(std::string(max_rest.size(), '0'), max_rest);
    }
    if (first <= last) {
        alternatives.push_back(one_of(first, last) + digits(max_rest.size()));
    }
    if (!end.empty()) {
        alternatives.push_back(std::move(end));
    }
    return joined(alternatives);
}

/// Whole numbers, also with leading zeros.
std::string whole_pattern(const WholeRange& range) {
    const std::string min = std::to_string(range.min);
    const std::string max = std::to_string(range.max);
    if (min.size() == max.size()) {
        return "0*" + same_length_pattern(min, max);
    }
    std::vector<std::string> alternatives;
    alternatives.push_back(same_length_pattern(min, std::string(min.size(), '9')));
    if (min.size() + 1 < max.size()) {
        const std::string fewest = std::to_string(min.size());
        const std::string most = std::to_string(max.size() - 2);
        alternatives.push_back("[1-9][0-9]{" + (fewest == most ? most : fewest + "," + most) + "}");
    }
    alternatives.push_back(same_length_pattern("1" + std::string(max.size() - 1, '0'), max));
    return "0*" + joined(alternatives);
}

struct Unit {
    std::string names;  ///< A pattern.
    std::uint64_t size;
};

void add_amounts(const Unit& unit, const WholeRange& range, std::vector<std::string>& patterns) {
    const std::uint64_t most = range.max / unit.size;
    const bool is_below_a_unit = range.min != 0 && range.min < unit.size;
    const std::uint64_t least = is_below_a_unit ? 1 : range.min / unit.size;
    std::vector<std::string> amounts;
    if (is_below_a_unit || most == 0) {
        amounts.emplace_back(kNonZeroFraction);
    }
    if (least < most) {
        amounts.push_back(whole_pattern({least, most - 1}).append(kAnyFraction));
    }
    if (least <= most) {
        const bool is_exact = range.max % unit.size == 0;
        amounts.push_back(
            whole_pattern({most, most}).append(is_exact ? kNoFraction : kAnyFraction));
    }
    patterns.push_back(joined(amounts) + unit.names);
}

std::string pattern_of(const std::vector<Unit>& units, const WholeRange& range) {
    std::vector<std::string> patterns;
    for (const Unit& unit : units) {
        add_amounts(unit, range, patterns);
    }
    return "^" + joined(patterns) + "$";
}

}  // namespace

std::string duration_pattern(const Range<resilience::Duration>& range) {
    std::vector<Unit> units;
    for (const DurationUnit& unit : duration_units()) {
        units.push_back({.names = std::string{unit.name},
                         .size = static_cast<std::uint64_t>(unit.size.count())});
    }
    return pattern_of(units, {.min = static_cast<std::uint64_t>(range.min.count()),
                              .max = static_cast<std::uint64_t>(range.max.count())});
}

std::string byte_size_pattern(const Range<std::size_t>& range) {
    // Names of one size share the amounts, which are long.
    std::vector<Unit> units;
    for (const ByteUnit& unit : byte_units()) {
        const auto same = std::ranges::find(units, unit.size_bytes, &Unit::size);
        if (same == units.end()) {
            units.push_back({.names = std::string{unit.name}, .size = unit.size_bytes});
        } else {
            same->names.append("|").append(unit.name);
        }
    }
    for (Unit& unit : units) {
        // A number without a unit is bytes.
        unit.names = "(" + unit.names + ")" + (unit.size == 1 ? "?" : "");
    }
    return pattern_of(units, {.min = range.min, .max = range.max});
}

}  // namespace holdfast::config
