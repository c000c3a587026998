#include "schema/compile/assembler.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/string.hpp>

#include "schema/evaluate/number.hpp"

// The keywords that assert something about a value itself. Keywords that apply subschemas are in
// assembler_applicators.cpp.
//
// Operands are pointers into the program's own copy of the schema. An invalid value of a keyword is
// an error of the schema. A keyword that cannot be checked here, such as a pattern with look-ahead,
// is skipped and listed.

namespace holdfast::schema {
namespace {

using boost::json::value;

constexpr std::array kTypes{
    std::pair{std::string_view{"null"}, kNull},
    std::pair{std::string_view{"boolean"}, kBoolean},
    std::pair{std::string_view{"number"}, kNumber},
    std::pair{std::string_view{"string"}, kString},
    std::pair{std::string_view{"array"}, kArray},
    std::pair{std::string_view{"object"}, kObject},
    std::pair{std::string_view{"integer"}, kInteger},
};

std::uint32_t type_bit(const value& name) {
    const auto* const text = name.if_string();
    for (const auto& [known, bit] : kTypes) {
        if (text != nullptr && *text == known) {
            return bit;
        }
    }
    return 0;
}

struct CountKeyword {
    std::string_view keyword;
    Op op;
    Kind kind;
};

constexpr std::array kCounts{
    CountKeyword{"minLength", Op::min_length, kString},
    CountKeyword{"maxLength", Op::max_length, kString},
    CountKeyword{"minItems", Op::min_items, kArray},
    CountKeyword{"maxItems", Op::max_items, kArray},
    CountKeyword{"minProperties", Op::min_properties, kObject},
    CountKeyword{"maxProperties", Op::max_properties, kObject},
};

Op bound_op(std::string_view keyword, bool is_exclusive) {
    if (keyword == "minimum") {
        return is_exclusive ? Op::exclusive_minimum : Op::minimum;
    }
    if (keyword == "maximum") {
        return is_exclusive ? Op::exclusive_maximum : Op::maximum;
    }
    return keyword == "exclusiveMinimum" ? Op::exclusive_minimum : Op::exclusive_maximum;
}

bool is_true(const value* any) {
    return any != nullptr && any->is_bool() && any->get_bool();
}

}  // namespace

void Assembler::malformed(std::string_view keyword, std::string_view must) {
    index_.fail(CompileErrc::malformed, node_, keyword, "must be " + std::string{must});
}

void Assembler::skip(const std::string& location, std::string reason) {
    program_.skipped.push_back({.location = location, .reason = std::move(reason)});
}

std::uint32_t Assembler::keep(const value& any) {
    program_.values.push_back(&any);
    return static_cast<std::uint32_t>(program_.values.size() - 1);
}

const value* Assembler::sibling(std::string_view keyword) const {
    return program_.origins[node_].value->get_object().if_contains(keyword);
}

NodeIndex Assembler::sibling_node(std::string_view keyword) const {
    const value* const found = sibling(keyword);
    return found == nullptr ? kNoNode : index_.node_at(*found);
}

void Assembler::type(std::string_view keyword, const value& operand) {
    std::uint32_t mask = 0;
    if (const auto* const names = operand.if_array()) {
        for (const value& name : *names) {
            const std::uint32_t bit = type_bit(name);
            mask |= bit;
            if (bit == 0) {
                malformed(keyword, "the name of a type or a list of them");
            }
        }
    } else {
        mask = type_bit(operand);
    }
    if (mask == 0) {
        malformed(keyword, "the name of a type or a list of them");
    }
    emit({.op = Op::type, .first = mask});
}

void Assembler::constant(std::string_view /*keyword*/, const value& operand) {
    emit({.op = Op::constant, .first = keep(operand)});
}

void Assembler::enumeration(std::string_view keyword, const value& operand) {
    const auto* const values = operand.if_array();
    if (values == nullptr) {
        malformed(keyword, "a list of values");
        return;
    }
    const auto first = static_cast<std::uint32_t>(program_.values.size());
    for (const value& each : *values) {
        program_.values.push_back(&each);
    }
    emit({.op = Op::enumeration,
          .first = first,
          .count = static_cast<std::uint32_t>(values->size())});
}

void Assembler::bound(std::string_view keyword, const value& operand) {
    if (operand.is_bool() && keyword.starts_with("exclusive")) {
        return;  // the form of draft 4, read together with `minimum` or `maximum`
    }
    if (!operand.is_number()) {
        malformed(keyword, "a number");
        return;
    }
    const bool is_exclusive =
        is_true(sibling(keyword == "minimum" ? "exclusiveMinimum" : "exclusiveMaximum"));
    emit({.op = bound_op(keyword, is_exclusive), .kinds = kNumber, .first = keep(operand)});
}

void Assembler::multiple_of(std::string_view keyword, const value& operand) {
    const value zero = 0;
    if (!operand.is_number() || !(compare_numbers(operand, zero) > 0)) {
        malformed(keyword, "a number above zero");
        return;
    }
    emit({.op = Op::multiple_of, .kinds = kNumber, .first = keep(operand)});
}

std::optional<std::uint64_t> Assembler::count_of(std::string_view keyword, const value& operand) {
    const value zero = 0;
    if (!operand.is_number() || !is_integer(operand) || compare_numbers(operand, zero) < 0) {
        malformed(keyword, "a whole number, zero or above");
        return std::nullopt;
    }
    // No value reaches a limit that exceeds this range.
    constexpr std::uint64_t kLargest = 0xffffffff;
    if (const auto* const whole = operand.if_int64()) {
        return std::min(static_cast<std::uint64_t>(*whole), kLargest);
    }
    if (const auto* const fraction = operand.if_double(); fraction && *fraction < 0x1p32) {
        return static_cast<std::uint64_t>(*fraction);
    }
    return kLargest;
}

void Assembler::count_limit(std::string_view keyword, const value& operand) {
    const auto* const found = std::ranges::find(kCounts, keyword, &CountKeyword::keyword);
    if (const auto count = count_of(keyword, operand)) {
        emit({.op = found->op, .kinds = found->kind, .first = static_cast<std::uint32_t>(*count)});
    }
}

void Assembler::pattern(std::string_view keyword, const value& operand) {
    const auto* const text = operand.if_string();
    if (text == nullptr) {
        malformed(keyword, "a string");
        return;
    }
    const PatternCache::Outcome& outcome = patterns_.add({text->data(), text->size()});
    if (const auto* const reason = std::get_if<std::string>(&outcome)) {
        skip(location_of(program_, node_, keyword), *reason);
        return;
    }
    emit({.op = Op::pattern, .kinds = kString, .first = std::get<std::uint32_t>(outcome)});
}

void Assembler::unique_items(std::string_view keyword, const value& operand) {
    if (!operand.is_bool()) {
        malformed(keyword, "true or false");
    } else if (operand.get_bool()) {
        emit({.op = Op::unique_items, .kinds = kArray});
    }
}

std::optional<Assembler::Range> Assembler::names(std::string_view keyword, const value& operand) {
    const auto* const list = operand.if_array();
    Range range{.first = static_cast<std::uint32_t>(program_.names.size())};
    if (list == nullptr) {
        malformed(keyword, "a list of names");
        return std::nullopt;
    }
    for (const value& name : *list) {
        const auto* const text = name.if_string();
        if (text == nullptr) {
            malformed(keyword, "a list of names");
            return std::nullopt;
        }
        program_.names.emplace_back(text->data(), text->size());
        ++range.count;
    }
    return range;
}

void Assembler::required(std::string_view keyword, const value& operand) {
    if (operand.is_bool()) {
        // Draft 3 wrote it at the property; its meaning here is unknown.
        skip(location_of(program_, node_, keyword), "must be a list of names");
        return;
    }
    if (const auto range = names(keyword, operand); range && range->count > 0) {
        emit({.op = Op::required, .kinds = kObject, .first = range->first, .count = range->count});
    }
}

void Assembler::unsupported(std::string_view keyword, const value& /*operand*/) {
    skip(location_of(program_, node_, keyword), "not a keyword of 2020-12");
}

}  // namespace holdfast::schema
