#include "schema/advice/shape.hpp"

#include <algorithm>
#include <span>

#include <boost/json/object.hpp>

#include "schema/advice/describe.hpp"
#include "schema/evaluate/kind_of.hpp"
#include "schema/evaluate/property_order.hpp"

namespace holdfast::schema {
namespace {

constexpr int kMaxDepth = 8;
constexpr std::size_t kMaxProperties = 500;
constexpr int kMaxVisits = 1000;

void add_members(const Program& program, NodeIndex node, const MemberRules& rules, Shape& shape) {
    shape.is_closed = shape.is_closed ||
                      (rules.additional != kNoNode && program.nodes[rules.additional].is_false);
    const auto* const written = program.origins[node].value->get_object().if_contains("properties");
    if (written == nullptr) {
        return;
    }
    // The rules are sorted for lookups; the schema has the order that its author chose.
    for (const auto& entry : written->get_object()) {
        const std::string_view name{entry.key()};
        const bool is_new =
            std::ranges::find(shape.properties, name, &Property::name) == shape.properties.end();
        const auto found =
            std::ranges::lower_bound(rules.properties, name, PropertyOrder{}, &Property::name);
        if (is_new && found != rules.properties.end() && shape.properties.size() < kMaxProperties) {
            shape.properties.push_back(*found);
        }
    }
}

struct CollectLimits {
    int depth_left = kMaxDepth;
    int& visits_left;
};

void collect(const Program& program, NodeIndex node, Shape& shape, CollectLimits limits) {
    if (limits.depth_left-- == 0 || limits.visits_left-- <= 0) {
        return;
    }
    const Node& at = program.nodes[node];
    for (const Instruction& instruction :
         std::span{program.code.data() + at.first_instruction, at.instruction_count}) {
        if (instruction.op == Op::members) {
            add_members(program, node, program.member_rules[instruction.first], shape);
        } else if (instruction.op == Op::required) {
            const std::span names{program.names.data() + instruction.first, instruction.count};
            shape.required.insert(shape.required.end(), names.begin(), names.end());
        } else if (instruction.op == Op::reference) {
            collect(program, instruction.first, shape, limits);
        } else if (instruction.op == Op::unevaluated_properties) {
            shape.is_closed = shape.is_closed || program.nodes[instruction.first].is_false;
        } else if (instruction.op == Op::all_of) {
            for (std::uint32_t i = 0; i < instruction.count; ++i) {
                collect(program, program.node_lists[instruction.first + i], shape, limits);
            }
        }
    }
}

std::uint32_t kinds_at(const Program& program, NodeIndex node, int depth_left) {
    std::uint32_t kinds = kAnyKind | kInteger;
    const Node& at = program.nodes[node];
    for (const Instruction& instruction :
         std::span{program.code.data() + at.first_instruction, at.instruction_count}) {
        if (instruction.op == Op::type) {
            const bool takes_numbers = (instruction.first & kNumber) != 0;
            kinds &= instruction.first | (takes_numbers ? kInteger : 0U);
        } else if (instruction.op == Op::constant) {
            const Kind kind = kind_of(*program.values[instruction.first]);
            kinds &= kind == kNumber ? kNumber | kInteger : kind;
        } else if (instruction.op == Op::reference && depth_left > 0) {
            kinds &= kinds_at(program, instruction.first, depth_left - 1);
        } else if (instruction.op == Op::all_of && depth_left > 0) {
            kinds &= kinds_at(program, program.node_lists[instruction.first], depth_left - 1);
        }
    }
    return kinds;
}

}  // namespace

Shape shape_of(const Program& program, NodeIndex node) {
    Shape shape;
    int visits_left = kMaxVisits;
    collect(program, node, shape, {.visits_left = visits_left});
    return shape;
}

std::uint32_t kinds_of(const Program& program, NodeIndex node) {
    return kinds_at(program, node, kMaxDepth);
}

NodeIndex items_of(const Program& program, NodeIndex node) {
    for (int hops = 0; hops < kMaxDepth; ++hops) {
        if (const Instruction* const items = find_instruction(program, node, Op::items)) {
            return items->rest;
        }
        const Instruction* const reference = find_instruction(program, node, Op::reference);
        if (reference == nullptr) {
            break;
        }
        node = reference->first;
    }
    return kNoNode;
}

}  // namespace holdfast::schema
