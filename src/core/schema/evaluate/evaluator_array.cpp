#include <boost/json/array.hpp>

#include "schema/evaluate/evaluator.hpp"

// The keywords that check the items of an array.

namespace holdfast::schema {

bool Evaluator::items(const Instruction& instruction, const Context& context) {
    const boost::json::array& array = context.value.get_array();
    bool is_valid = true;
    for (std::size_t i = 0; i < array.size() && should_continue(is_valid); ++i) {
        const NodeIndex node =
            i < instruction.count ? program_.node_lists[instruction.first + i] : instruction.rest;
        if (node == kNoNode) {
            break;
        }
        is_valid = check_child(node, array[i], context, {.index = i}) && is_valid;
        if (context.evaluated != nullptr) {
            context.evaluated->mark(i);
        }
    }
    return is_valid;
}

bool Evaluator::contains(const Instruction& instruction, const Context& context) {
    const ContainRule& rule = program_.contain_rules[instruction.first];
    const boost::json::array& array = context.value.get_array();
    ViolationList* const collecting = violations_;
    violations_ = nullptr;
    std::uint64_t count = 0;
    for (std::size_t i = 0; i < array.size() && work_.steps != 0; ++i) {
        if (check_child(rule.node, array[i], context, {.index = i})) {
            ++count;
            if (context.evaluated != nullptr) {
                context.evaluated->mark(i);
            }
        }
        const bool is_decided = count > rule.max || (count >= rule.min && rule.max == UINT64_MAX);
        if (is_decided && context.evaluated == nullptr) {
            break;
        }
    }
    violations_ = collecting;
    return (count >= rule.min && count <= rule.max) || fail(instruction, context);
}

bool Evaluator::unevaluated_items(const Instruction& instruction, const Context& context) {
    const boost::json::array& array = context.value.get_array();
    bool is_valid = true;
    for (std::size_t i = 0; i < array.size() && should_continue(is_valid); ++i) {
        if (!context.evaluated->has(i)) {
            is_valid = check_child(instruction.first, array[i], context, {.index = i}) && is_valid;
            context.evaluated->mark(i);
        }
        if (!work_.take(1)) {
            return false;
        }
    }
    return is_valid;
}

}  // namespace holdfast::schema
