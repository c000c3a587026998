#pragma once

#include <cstdint>

namespace holdfast::schema {

using NodeIndex = std::uint32_t;
inline constexpr NodeIndex kNoNode = 0xffffffff;
inline constexpr NodeIndex kRootNode = 0;

/// Kinds of values as bits, so that an instruction can select several.
enum Kind : std::uint8_t {
    kNull = 1,
    kBoolean = 2,
    kNumber = 4,
    kString = 8,
    kArray = 16,
    kObject = 32,
    kInteger = 64,  ///< In the operand of `type` only: a number without a fraction.
    kAnyKind = 63,
};

/// The operations; each comment describes the operands.
enum class Op : std::uint8_t {
    never,                   // -
    type,                    // mask of Kind
    constant,                // values[first]
    enumeration,             // values[first, count]
    minimum,                 // values[first]
    maximum,                 // values[first]
    exclusive_minimum,       // values[first]
    exclusive_maximum,       // values[first]
    multiple_of,             // values[first]
    min_length,              // first is the limit
    max_length,              // first is the limit
    pattern,                 // patterns[first]
    min_items,               // first is the limit
    max_items,               // first is the limit
    unique_items,            // -
    min_properties,          // first is the limit
    max_properties,          // first is the limit
    required,                // names[first, count]
    dependent_required,      // dependents[first, count]
    members,                 // member_rules[first]
    property_names,          // node first
    dependent_schemas,       // dependents[first, count]
    items,                   // node_lists[first, count] are the prefix, node rest
    contains,                // contain_rules[first]
    reference,               // node first
    dynamic_reference,       // dynamic_references[first]
    all_of,                  // node_lists[first, count]
    any_of,                  // node_lists[first, count]
    one_of,                  // node_lists[first, count]
    negation,                // node first
    conditional,             // node_lists[first, 3]: if, then, else
    unevaluated_items,       // node first
    unevaluated_properties,  // node first
};

struct Instruction {
    Op op = Op::never;
    std::uint8_t kinds = kAnyKind;
    std::uint32_t first = 0;
    std::uint32_t count = 0;
    NodeIndex rest = kNoNode;
};

}  // namespace holdfast::schema
