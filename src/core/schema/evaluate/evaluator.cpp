#include "schema/evaluate/evaluator.hpp"

#include <algorithm>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/string.hpp>

#include "schema/evaluate/kind_of.hpp"
#include "schema/evaluate/number.hpp"

// The loop over the instructions of a node, and the keywords that check a value itself. The others
// are in evaluator_object.cpp, evaluator_array.cpp and evaluator_logic.cpp.
//
// Every function returns whether the value is valid. A run that does not collect stops at the first
// fault. Branches that may fail (try_branch) never collect, and pass on their evaluated positions
// only if they are valid. When the steps are used up, every function returns false and run()
// reports it. That false is never a result, so `not` and `if` need no check of their own.

namespace holdfast::schema {
namespace {

constexpr std::size_t kPatternBytesPerStep = 16;
constexpr std::size_t kPatternInstructionsPerStep = 64;
constexpr std::size_t kTextBytesPerStep = 128;
constexpr std::size_t kWordsPerStep = 16;

std::size_t code_points(std::string_view text) {
    return static_cast<std::size_t>(std::ranges::count_if(
        text, [](char byte) { return (static_cast<unsigned char>(byte) & 0xc0U) != 0x80U; }));
}

}  // namespace

Evaluator::Evaluator(const Program& program, const ValidateLimits& limits,
                     ViolationList* violations) noexcept
    : program_(program),
      work_{.steps = limits.max_steps, .depth = static_cast<std::uint32_t>(limits.max_depth)},
      depth_left_(limits.max_depth),
      violations_(violations) {}

Verdict Evaluator::run(NodeIndex node, const Value& value) {
    const bool is_valid = check(node, Context{.value = value});
    if (work_.steps == 0) {
        return Verdict::too_complex;
    }
    return is_valid ? Verdict::valid : Verdict::invalid;
}

bool Evaluator::check(NodeIndex index, const Context& from) {
    if (depth_left_ == 0 || !work_.take(1)) {
        work_.steps = 0;
        return false;
    }
    const Node& node = program_.nodes[index];
    const Scope entered{.outer = from.scope, .resource = node.resource};
    const bool is_same_resource = from.scope != nullptr && from.scope->resource == node.resource;
    Evaluated own;
    const Context context{.node = index,
                          .value = from.value,
                          .scope = is_same_resource ? from.scope : &entered,
                          .place = from.place,
                          .evaluated = node.has_unevaluated ? &own : from.evaluated};
    --depth_left_;
    const bool is_valid = run_instructions(node, context);
    ++depth_left_;
    return is_valid && (!node.has_unevaluated || hand_on(own, from));
}

bool Evaluator::check_child(NodeIndex node, const Value& child, const Context& from, Place place) {
    place.outer = from.place;
    place.whole = &from.value;
    return check(node, Context{.value = child, .scope = from.scope, .place = &place});
}

bool Evaluator::try_branch(NodeIndex node, const Context& from) {
    ViolationList* const collecting = violations_;
    violations_ = nullptr;
    Evaluated own;
    Context branch = from;
    branch.evaluated = from.evaluated == nullptr ? nullptr : &own;
    const bool is_valid = check(node, branch) && hand_on(own, from);
    violations_ = collecting;
    return is_valid;
}

// Passes the evaluated positions to the surrounding schema if it needs them.
bool Evaluator::hand_on(const Evaluated& own, const Context& to) {
    if (to.evaluated == nullptr) {
        return true;
    }
    to.evaluated->add(own);
    return work_.take(own.word_count() / kWordsPerStep);
}

// After a fault only a collecting run continues, and only within its limits.
bool Evaluator::should_continue(bool is_valid_so_far) const noexcept {
    return is_valid_so_far ||
           (violations_ != nullptr && !violations_->is_full() && work_.steps != 0);
}

bool Evaluator::fail(const Instruction& instruction, const Context& context) {
    if (violations_ != nullptr && work_.steps != 0) {
        violations_->add({.node = context.node,
                          .instruction = instruction,
                          .value = context.value,
                          .place = context.place});
    }
    return false;
}

bool Evaluator::run_instructions(const Node& node, const Context& context) {
    const Kind kind = kind_of(context.value);
    const Instruction* const first = program_.code.data() + node.first_instruction;
    bool is_valid = true;
    for (std::uint32_t i = 0; i < node.instruction_count && should_continue(is_valid); ++i) {
        const Instruction& instruction = first[i];
        if ((instruction.kinds & kind) != 0) {
            is_valid = work_.take(1) && run_one(instruction, context) && is_valid;
        }
    }
    return is_valid;
}

bool Evaluator::run_one(const Instruction& instruction, const Context& context) {
    const auto holds = [&](bool is_met) { return is_met || fail(instruction, context); };
    const std::uint32_t limit = instruction.first;
    switch (instruction.op) {
        case Op::never:
            return fail(instruction, context);
        case Op::type:
            return type(instruction, context);
        case Op::constant:
            return holds(are_equal(context.value, *program_.values[limit], work_));
        case Op::enumeration:
            return enumeration(instruction, context);
        case Op::minimum:
        case Op::maximum:
        case Op::exclusive_minimum:
        case Op::exclusive_maximum:
        case Op::multiple_of:
            return number(instruction, context);
        case Op::min_length:
        case Op::max_length:
            return length(instruction, context);
        case Op::pattern:
            return pattern(instruction, context);
        case Op::min_items:
            return holds(context.value.get_array().size() >= limit);
        case Op::max_items:
            return holds(context.value.get_array().size() <= limit);
        case Op::unique_items:
            return holds(has_unique_items(context.value.get_array(), work_));
        case Op::min_properties:
            return holds(context.value.get_object().size() >= limit);
        case Op::max_properties:
            return holds(context.value.get_object().size() <= limit);
        case Op::required:
            return required(instruction, context);
        case Op::dependent_required:
            return dependent_required(instruction, context);
        case Op::members:
            return members(instruction, context);
        case Op::property_names:
            return property_names(instruction, context);
        case Op::dependent_schemas:
            return dependent_schemas(instruction, context);
        case Op::items:
            return items(instruction, context);
        case Op::contains:
            return contains(instruction, context);
        case Op::reference:
            return check(instruction.first, context);
        case Op::dynamic_reference:
            return dynamic_reference(instruction, context);
        case Op::all_of:
            return all_of(instruction, context);
        case Op::any_of:
            return any_of(instruction, context);
        case Op::one_of:
            return one_of(instruction, context);
        case Op::negation: {
            Context unobserved = context;
            unobserved.evaluated = nullptr;
            return holds(!try_branch(instruction.first, unobserved));
        }
        case Op::conditional:
            return conditional(instruction, context);
        case Op::unevaluated_items:
            return unevaluated_items(instruction, context);
        case Op::unevaluated_properties:
            return unevaluated_properties(instruction, context);
    }
    return false;
}

bool Evaluator::type(const Instruction& instruction, const Context& context) {
    const Kind kind = kind_of(context.value);
    if ((instruction.first & kind) != 0) {
        return true;
    }
    const bool is_wanted_integer =
        kind == kNumber && (instruction.first & kInteger) != 0 && is_integer(context.value);
    return is_wanted_integer || fail(instruction, context);
}

bool Evaluator::number(const Instruction& instruction, const Context& context) {
    const Value& limit = *program_.values[instruction.first];
    bool is_met = false;
    switch (instruction.op) {
        case Op::minimum:
            is_met = compare_numbers(context.value, limit) >= 0;
            break;
        case Op::maximum:
            is_met = compare_numbers(context.value, limit) <= 0;
            break;
        case Op::exclusive_minimum:
            is_met = compare_numbers(context.value, limit) > 0;
            break;
        case Op::exclusive_maximum:
            is_met = compare_numbers(context.value, limit) < 0;
            break;
        default:
            is_met = is_multiple_of(context.value, limit);
    }
    return is_met || fail(instruction, context);
}

bool Evaluator::length(const Instruction& instruction, const Context& context) {
    const auto& text = context.value.get_string();
    const std::size_t limit = instruction.first;
    const bool is_minimum = instruction.op == Op::min_length;
    // A character has one to four bytes, so the size usually decides.
    bool is_met = is_minimum ? text.size() / 4 >= limit : text.size() <= limit;
    if (!is_met && !(is_minimum && text.size() < limit)) {
        const bool is_affordable = work_.take(text.size() / kTextBytesPerStep);
        const std::size_t characters = is_affordable ? code_points({text.data(), text.size()}) : 0;
        is_met = is_minimum ? characters >= limit : characters <= limit;
    }
    return is_met || fail(instruction, context);
}

bool Evaluator::matches(std::uint32_t pattern, std::string_view text) {
    const re2::RE2& expression = *program_.patterns[pattern];
    // RE2 reads at most its whole program for each byte.
    const auto size = static_cast<std::size_t>(expression.ProgramSize());
    const std::size_t steps =
        (1 + text.size() / kPatternBytesPerStep) * (1 + size / kPatternInstructionsPerStep);
    return work_.take(steps) && re2::RE2::PartialMatch({text.data(), text.size()}, expression);
}

bool Evaluator::pattern(const Instruction& instruction, const Context& context) {
    const auto& text = context.value.get_string();
    return matches(instruction.first, {text.data(), text.size()}) || fail(instruction, context);
}

bool Evaluator::enumeration(const Instruction& instruction, const Context& context) {
    for (std::uint32_t i = 0; i < instruction.count; ++i) {
        if (are_equal(context.value, *program_.values[instruction.first + i], work_)) {
            return true;
        }
    }
    return fail(instruction, context);
}

}  // namespace holdfast::schema
