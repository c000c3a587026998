#include "schema/advice/describe.hpp"

#include <algorithm>
#include <array>
#include <span>
#include <utility>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/string.hpp>

#include "schema/evaluate/number.hpp"

namespace holdfast::schema {
namespace {

using boost::json::value;

constexpr std::size_t kMaxQuotedBytes = 60;
constexpr std::size_t kMaxListed = 6;
constexpr int kMaxLabelDepth = 4;

constexpr std::array kTypeNames{
    std::pair{kString, "string"},   std::pair{kInteger, "integer"}, std::pair{kNumber, "number"},
    std::pair{kBoolean, "boolean"}, std::pair{kArray, "array"},     std::pair{kObject, "object"},
    std::pair{kNull, "null"},
};

std::string counted(std::size_t count, std::string_view one) {
    return std::to_string(count) + " " + std::string{one} + (count == 1 ? "" : "s");
}

std::string label_at(const Program& program, NodeIndex node, int depth_left);

std::string joined_labels(const Program& program, const Instruction& list, int depth_left) {
    std::string text;
    const std::uint32_t count = std::min<std::uint32_t>(list.count, kMaxListed);
    for (std::uint32_t i = 0; i < count && text.size() < kMaxLabelBytes; ++i) {
        const std::string label =
            label_at(program, program.node_lists[list.first + i], depth_left - 1);
        text += (i == 0 ? "" : " or ") + label;
    }
    return list.count > kMaxListed ? text + " or …" : text;
}

std::string enumeration_label(const Program& program, const Instruction& list) {
    std::string text;
    for (std::uint32_t i = 0; i < std::min<std::uint32_t>(list.count, kMaxListed); ++i) {
        text += (i == 0 ? "" : " | ") + describe_value(*program.values[list.first + i]);
    }
    return list.count > kMaxListed ? text + " | …" : text;
}

std::string label_at(const Program& program, NodeIndex node, int depth_left) {
    if (depth_left == 0) {
        return "any";
    }
    const auto find = [&](Op op) { return find_instruction(program, node, op); };
    if (const auto* const constant = find(Op::constant)) {
        return describe_value(*program.values[constant->first]);
    }
    if (const auto* const list = find(Op::enumeration)) {
        return enumeration_label(program, *list);
    }
    if (const auto* const type = find(Op::type)) {
        const auto* const items = find(Op::items);
        if (type->first == kArray && items != nullptr && items->rest != kNoNode) {
            return "array of " + label_at(program, items->rest, depth_left - 1);
        }
        return describe_types(type->first);
    }
    if (const auto* const reference = find(Op::reference)) {
        return label_at(program, reference->first, depth_left - 1);
    }
    for (const Op op : {Op::any_of, Op::one_of}) {
        if (const auto* const list = find(op)) {
            return joined_labels(program, *list, depth_left);
        }
    }
    if (const auto* const list = find(Op::all_of)) {
        return label_at(program, program.node_lists[list->first], depth_left - 1);
    }
    return find(Op::members) != nullptr ? "object" : "any";
}

}  // namespace

std::string shortened(std::string_view text, std::size_t max_bytes) {
    if (text.size() <= max_bytes) {
        return std::string{text};
    }
    std::size_t end = max_bytes;
    while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0U) == 0x80U) {
        --end;
    }
    return std::string{text.substr(0, end)} + "…";
}

std::string quoted(std::string_view text) {
    const std::string cut = shortened(text, kMaxQuotedBytes);
    return boost::json::serialize(boost::json::string_view{cut});
}

std::string describe_value(const value& any) {
    if (const auto* const text = any.if_string()) {
        return quoted({text->data(), text->size()});
    }
    if (const auto* const items = any.if_array()) {
        return items->empty() ? "[]" : "array with " + counted(items->size(), "item");
    }
    if (const auto* const members = any.if_object()) {
        return members->empty() ? "{}" : "object with " + counted(members->size(), "member");
    }
    return boost::json::serialize(any);
}

std::string describe_kind(const value& any, bool show_values) {
    if (any.is_structured()) {
        const bool is_empty = any.is_array() ? any.get_array().empty() : any.get_object().empty();
        const std::string kind = any.is_array() ? "array" : "object";
        return is_empty ? "empty " + kind : describe_value(any);
    }
    if (any.is_null()) {
        return "null";
    }
    std::string kind = any.is_string() ? "string" : any.is_bool() ? "boolean" : "number";
    if (any.is_number() && is_integer(any)) {
        kind = "integer";
    }
    return show_values ? kind + " " + describe_value(any) : kind;
}

std::string describe_types(std::uint32_t mask) {
    std::string text;
    for (const auto& [bit, name] : kTypeNames) {
        if ((mask & bit) != 0) {
            text += (text.empty() ? "" : " or ") + std::string{name};
        }
    }
    return text;
}

const Instruction* find_instruction(const Program& program, NodeIndex node, Op op) {
    const Node& at = program.nodes[node];
    const std::span code{program.code.data() + at.first_instruction, at.instruction_count};
    const auto found = std::ranges::find(code, op, &Instruction::op);
    return found == code.end() ? nullptr : &*found;
}

std::string label_of(const Program& program, NodeIndex node) {
    return label_at(program, node, kMaxLabelDepth);
}

}  // namespace holdfast::schema
