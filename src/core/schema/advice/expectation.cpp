#include "schema/advice/expectation.hpp"

#include <algorithm>
#include <array>
#include <span>
#include <utility>
#include <vector>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/string.hpp>

#include "schema/advice/describe.hpp"

// Describes a violation: what the schema expects and what the value has. Agents read these texts,
// so they show values and properties as JSON and avoid the vocabulary of JSON Schema. Lists are cut
// after a few entries; the list of violations limits the whole text once more.

namespace holdfast::schema {
namespace {

constexpr std::size_t kMaxNames = 8;
constexpr std::size_t kMaxTextBytes = 1000;

constexpr std::array kKeywords{
    "false",
    "type",
    "const",
    "enum",
    "minimum",
    "maximum",
    "exclusiveMinimum",
    "exclusiveMaximum",
    "multipleOf",
    "minLength",
    "maxLength",
    "pattern",
    "minItems",
    "maxItems",
    "uniqueItems",
    "minProperties",
    "maxProperties",
    "required",
    "dependentRequired",
    "properties",
    "propertyNames",
    "dependentSchemas",
    "items",
    "contains",
    "$ref",
    "$dynamicRef",
    "allOf",
    "anyOf",
    "oneOf",
    "not",
    "if",
    "unevaluatedItems",
    "unevaluatedProperties",
};
static_assert(kKeywords.size() == static_cast<std::size_t>(Op::unevaluated_properties) + 1);

std::string joined(std::span<const std::string_view> names) {
    std::string text;
    for (std::size_t i = 0; i < names.size() && i < kMaxNames; ++i) {
        text += (i == 0 ? "" : ", ") + quoted(names[i]);
    }
    return names.size() > kMaxNames ? text + " …" : text;
}

std::string at_least(std::uint64_t count, std::string_view what) {
    return "at least " + std::to_string(count) + " " + std::string{what} + (count == 1 ? "" : "s");
}

std::string at_most(std::uint64_t count, std::string_view what) {
    return "at most " + std::to_string(count) + " " + std::string{what} + (count == 1 ? "" : "s");
}

std::string contains_expectation(const ContainRule& rule) {
    std::string text = at_least(rule.min, "fitting item");
    if (rule.max != UINT64_MAX) {
        text += " and " + at_most(rule.max, "of them");
    }
    return text;
}

std::string never_expectation(std::string_view keyword) {
    if (keyword == "additionalProperties" || keyword == "unevaluatedProperties") {
        return "no such property";
    }
    return keyword == "items" || keyword == "unevaluatedItems" ? "no further item" : "nothing here";
}

std::string dependent_expectation(const Program& program, const Failure& failure) {
    const boost::json::object& object = failure.value.get_object();
    const Instruction& instruction = failure.instruction;
    for (std::uint32_t i = 0; i < instruction.count; ++i) {
        const Dependent& dependent = program.dependents[instruction.first + i];
        const std::span names{program.names.data() + dependent.first_name, dependent.name_count};
        const auto is_there = [&](std::string_view name) { return object.contains(name); };
        if (is_there(dependent.name) && !std::ranges::all_of(names, is_there)) {
            return "with " + quoted(dependent.name) + " also " + joined(names);
        }
    }
    return "the properties that others need";
}

std::string text_or_list_expectation(const Program& program, const Failure& failure) {
    const Instruction& instruction = failure.instruction;
    switch (instruction.op) {
        case Op::min_length:
            return at_least(instruction.first, "character");
        case Op::max_length:
            return at_most(instruction.first, "character");
        case Op::pattern: {
            const auto* const schema = program.origins[failure.node].value->if_object();
            const auto& pattern = schema->if_contains("pattern")->get_string();
            return "text that matches " + shortened({pattern.data(), pattern.size()}, 100);
        }
        case Op::min_items:
            return at_least(instruction.first, "item");
        case Op::max_items:
            return at_most(instruction.first, "item");
        case Op::unique_items:
            return "unique items";
        case Op::contains:
            return contains_expectation(program.contain_rules[instruction.first]);
        default:
            return "a fitting value";
    }
}

std::string number_expectation(const Program& program, const Instruction& instruction) {
    const std::string limit = describe_value(*program.values[instruction.first]);
    switch (instruction.op) {
        case Op::minimum:
            return "at least " + limit;
        case Op::maximum:
            return "at most " + limit;
        case Op::exclusive_minimum:
            return "above " + limit;
        case Op::exclusive_maximum:
            return "below " + limit;
        default:
            return "a multiple of " + limit;
    }
}

std::string object_expectation(const Program& program, const Failure& failure) {
    const Instruction& instruction = failure.instruction;
    if (instruction.op == Op::required) {
        return "the required " + std::string{instruction.count == 1 ? "property " : "properties "} +
               joined({program.names.data() + instruction.first, instruction.count});
    }
    if (instruction.op == Op::dependent_required) {
        return dependent_expectation(program, failure);
    }
    const bool is_minimum = instruction.op == Op::min_properties;
    const std::string_view what = instruction.first == 1 ? "property" : "propertie";
    return is_minimum ? at_least(instruction.first, what) : at_most(instruction.first, what);
}

std::string alternatives_expectation(const Program& program, const Failure& failure) {
    std::string text;
    const Instruction& instruction = failure.instruction;
    const std::uint32_t count = std::min<std::uint32_t>(instruction.count, kMaxNames);
    for (std::uint32_t i = 0; i < count && text.size() < kMaxTextBytes; ++i) {
        const std::string label = label_of(program, program.node_lists[instruction.first + i]);
        text += (i == 0 ? "" : "; ") + label;
    }
    const std::string_view start = instruction.op == Op::any_of ? "one of: " : "exactly one of: ";
    return std::string{start} + text;
}

}  // namespace

std::string_view failed_keyword(const Program& program, const Failure& failure) {
    const std::string_view holder = program.origins[failure.node].keyword;
    if (failure.instruction.op == Op::never && !holder.empty()) {
        return holder;
    }
    return kKeywords[static_cast<std::size_t>(failure.instruction.op)];
}

std::string expectation(const Program& program, const Failure& failure) {
    const Instruction& instruction = failure.instruction;
    switch (instruction.op) {
        case Op::never:
            return never_expectation(program.origins[failure.node].keyword);
        case Op::type:
            return describe_types(instruction.first);
        case Op::constant:
            return describe_value(*program.values[instruction.first]);
        case Op::enumeration:
            return "one of " + label_of(program, failure.node);
        case Op::minimum:
        case Op::maximum:
        case Op::exclusive_minimum:
        case Op::exclusive_maximum:
        case Op::multiple_of:
            return number_expectation(program, instruction);
        case Op::min_properties:
        case Op::max_properties:
        case Op::required:
        case Op::dependent_required:
            return object_expectation(program, failure);
        case Op::any_of:
        case Op::one_of:
            return alternatives_expectation(program, failure);
        case Op::negation:
            return "anything but " + label_of(program, instruction.first);
        default:
            return text_or_list_expectation(program, failure);
    }
}

std::string finding(const Program& program, const Failure& failure, bool show_values) {
    const auto* const object = failure.value.if_object();
    if (failure.instruction.op == Op::required && object != nullptr) {
        std::vector<std::string_view> missing;
        for (std::uint32_t i = 0; i < failure.instruction.count; ++i) {
            const std::string_view name = program.names[failure.instruction.first + i];
            if (!object->contains(name)) {
                missing.push_back(name);
            }
        }
        return "an object without " + joined(missing);
    }
    const bool is_unknown_member =
        failure.instruction.op == Op::never && failure.place != nullptr && failure.place->is_key;
    if (is_unknown_member) {
        return "the property " + quoted(failure.place->key);
    }
    return describe_kind(failure.value, show_values);
}

}  // namespace holdfast::schema
