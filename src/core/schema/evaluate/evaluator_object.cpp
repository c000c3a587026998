#include <algorithm>
#include <span>

#include <boost/json/object.hpp>
#include <boost/json/string.hpp>

#include "schema/evaluate/evaluator.hpp"
#include "schema/evaluate/property_order.hpp"

// The keywords that check the members of an object.

namespace holdfast::schema {
namespace {

const Property* find_property(std::span<const Property> properties, std::string_view name) {
    const auto found = std::ranges::lower_bound(properties, name, PropertyOrder{}, &Property::name);
    return found != properties.end() && found->name == name ? &*found : nullptr;
}

}  // namespace

bool Evaluator::required(const Instruction& instruction, const Context& context) {
    const boost::json::object& object = context.value.get_object();
    for (std::uint32_t i = 0; i < instruction.count; ++i) {
        const bool is_there =
            work_.take(1) && object.contains(program_.names[instruction.first + i]);
        if (!is_there) {
            return fail(instruction, context);
        }
    }
    return true;
}

bool Evaluator::dependent_required(const Instruction& instruction, const Context& context) {
    const boost::json::object& object = context.value.get_object();
    for (std::uint32_t i = 0; i < instruction.count; ++i) {
        const Dependent& dependent = program_.dependents[instruction.first + i];
        if (!object.contains(dependent.name)) {
            continue;
        }
        for (std::uint32_t n = 0; n < dependent.name_count; ++n) {
            const std::string_view name = program_.names[dependent.first_name + n];
            if (!work_.take(1) || !object.contains(name)) {
                return fail(instruction, context);
            }
        }
    }
    return true;
}

bool Evaluator::dependent_schemas(const Instruction& instruction, const Context& context) {
    const boost::json::object& object = context.value.get_object();
    bool is_valid = true;
    for (std::uint32_t i = 0; i < instruction.count && should_continue(is_valid); ++i) {
        const Dependent& dependent = program_.dependents[instruction.first + i];
        if (object.contains(dependent.name)) {
            is_valid = check(dependent.node, context) && is_valid;
        }
    }
    return is_valid;
}

bool Evaluator::members(const Instruction& instruction, const Context& context) {
    const MemberRules& rules = program_.member_rules[instruction.first];
    bool is_valid = true;
    std::size_t position = 0;
    for (const auto& member : context.value.get_object()) {
        const std::string_view name{member.key()};
        const Place place{.key = name, .is_key = true};
        bool is_known = rules.has_skipped_pattern;
        if (const Property* const property = find_property(rules.properties, name)) {
            is_known = true;
            is_valid = check_child(property->node, member.value(), context, place) && is_valid;
        }
        for (const PatternRule& rule : rules.patterns) {
            if (matches(rule.pattern, name)) {
                is_known = true;
                is_valid = check_child(rule.node, member.value(), context, place) && is_valid;
            }
        }
        if (!is_known && rules.additional != kNoNode) {
            is_known = true;
            is_valid = check_child(rules.additional, member.value(), context, place) && is_valid;
        }
        if (is_known && context.evaluated != nullptr) {
            context.evaluated->mark(position);
        }
        ++position;
        if (!work_.take(1) || !should_continue(is_valid)) {
            return false;
        }
    }
    return is_valid;
}

bool Evaluator::property_names(const Instruction& instruction, const Context& context) {
    bool is_valid = true;
    for (const auto& member : context.value.get_object()) {
        if (!work_.take(member.key().size() / 64)) {
            return false;
        }
        const Value name(member.key());
        const Place place{.key = member.key(), .is_key = true};
        is_valid = check_child(instruction.first, name, context, place) && is_valid;
        if (!should_continue(is_valid)) {
            return false;
        }
    }
    return is_valid;
}

bool Evaluator::unevaluated_properties(const Instruction& instruction, const Context& context) {
    bool is_valid = true;
    std::size_t position = 0;
    for (const auto& member : context.value.get_object()) {
        if (!context.evaluated->has(position)) {
            const Place place{.key = member.key(), .is_key = true};
            is_valid = check_child(instruction.first, member.value(), context, place) && is_valid;
            context.evaluated->mark(position);
        }
        ++position;
        if (!work_.take(1) || !should_continue(is_valid)) {
            return false;
        }
    }
    return is_valid;
}

}  // namespace holdfast::schema
