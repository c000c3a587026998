#include <algorithm>
#include <span>

#include "schema/evaluate/evaluator.hpp"
#include "schema/evaluate/kind_of.hpp"

// The keywords that combine schemas, and references that depend on the dynamic scope.

namespace holdfast::schema {
namespace {

// Returns whether the `type` of a node, or of its reference target, accepts a kind. A node without
// a type accepts every kind.
bool accepts_kind(const Program& program, NodeIndex node, Kind kind, int hops_left) {
    const Node& at = program.nodes[node];
    const std::span code{program.code.data() + at.first_instruction, at.instruction_count};
    return std::ranges::all_of(code, [&](const Instruction& instruction) {
        if (instruction.op == Op::type) {
            const bool is_number = kind == kNumber && (instruction.first & kInteger) != 0;
            return is_number || (instruction.first & kind) != 0;
        }
        if (instruction.op == Op::reference && hops_left > 0) {
            return accepts_kind(program, instruction.first, kind, hops_left - 1);
        }
        return instruction.op != Op::never;
    });
}

}  // namespace

bool Evaluator::all_of(const Instruction& instruction, const Context& context) {
    bool is_valid = true;
    for (std::uint32_t i = 0; i < instruction.count && should_continue(is_valid); ++i) {
        is_valid = check(program_.node_lists[instruction.first + i], context) && is_valid;
    }
    return is_valid;
}

bool Evaluator::any_of(const Instruction& instruction, const Context& context) {
    bool is_valid = false;
    // If annotations are needed, every valid branch adds its own.
    const bool needs_all = context.evaluated != nullptr;
    for (std::uint32_t i = 0; i < instruction.count && (!is_valid || needs_all); ++i) {
        is_valid = try_branch(program_.node_lists[instruction.first + i], context) || is_valid;
        if (work_.steps == 0) {
            return false;
        }
    }
    return is_valid || fail_alternatives(instruction, context);
}

bool Evaluator::one_of(const Instruction& instruction, const Context& context) {
    std::uint32_t count = 0;
    for (std::uint32_t i = 0; i < instruction.count && count < 2; ++i) {
        count += try_branch(program_.node_lists[instruction.first + i], context) ? 1U : 0U;
        if (work_.steps == 0) {
            return false;
        }
    }
    if (count == 0) {
        return fail_alternatives(instruction, context);
    }
    return count == 1 || fail(instruction, context);
}

// An optional object is often written as "object or null". If only one alternative accepts this
// kind of value, its faults are more useful than "nothing matched".
bool Evaluator::fail_alternatives(const Instruction& instruction, const Context& context) {
    if (violations_ == nullptr) {
        return false;
    }
    constexpr int kMaxHops = 8;
    const Kind kind = kind_of(context.value);
    NodeIndex only = kNoNode;
    std::uint32_t count = 0;
    for (std::uint32_t i = 0; i < instruction.count; ++i) {
        const NodeIndex node = program_.node_lists[instruction.first + i];
        if (accepts_kind(program_, node, kind, kMaxHops)) {
            only = node;
            ++count;
        }
    }
    if (count == 1) {
        Context branch = context;
        branch.evaluated = nullptr;
        return check(only, branch) && fail(instruction, context);
    }
    return fail(instruction, context);
}

bool Evaluator::conditional(const Instruction& instruction, const Context& context) {
    const std::span branches{program_.node_lists.data() + instruction.first, 3};
    const bool is_met = try_branch(branches[0], context);
    const NodeIndex next = is_met ? branches[1] : branches[2];
    return next == kNoNode || check(next, context);
}

bool Evaluator::dynamic_reference(const Instruction& instruction, const Context& context) {
    const DynamicReference& reference = program_.dynamic_references[instruction.first];
    NodeIndex target = reference.target;
    const Scope* scope = reference.anchor.empty() ? nullptr : context.scope;
    // The outermost resource with the anchor decides, so the last one found wins.
    for (; scope != nullptr; scope = scope->outer) {
        for (const Property& anchor : program_.resources[scope->resource].dynamic_anchors) {
            if (!work_.take(1)) {
                return false;
            }
            if (anchor.name == reference.anchor) {
                target = anchor.node;
                break;
            }
        }
    }
    return check(target, context);
}

}  // namespace holdfast::schema
