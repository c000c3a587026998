#include "schema/advice/repair.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <string_view>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/string.hpp>

#include "schema/advice/describe.hpp"
#include "schema/advice/nearest.hpp"
#include "schema/evaluate/number.hpp"

// Walks the value and the schema together. A part that is valid is kept. An object or array is
// rebuilt from its repaired parts. For any other value the likely intended values are tried, the
// likeliest first: the nearest enumerated value, the exceeded limit, the same content as another
// type. A part that is still invalid is replaced by a sample. The number of repairs is limited,
// because alternatives multiply.

namespace holdfast::schema {
namespace {

using boost::json::value;

constexpr std::size_t kMaxItems = 20;
constexpr std::size_t kMaxUnknown = 50;
constexpr std::size_t kMaxMembers = 200;
constexpr std::size_t kMaxParsedBytes = 16UL * 1024;

std::string_view view_of(const boost::json::string& text) {
    return {text.data(), text.size()};
}

std::string_view first_characters(std::string_view text, std::size_t count) {
    std::size_t end = 0;
    for (; end < text.size(); ++end) {
        const bool is_start = (static_cast<unsigned char>(text[end]) & 0xc0U) != 0x80U;
        if (is_start && count-- == 0) {
            break;
        }
    }
    return text.substr(0, end);
}

// Parses JSON that was sent as text: "5", "true", "null", "{…}".
std::optional<value> unquoted(std::string_view text) {
    if (text.empty() || text.size() > kMaxParsedBytes) {
        return std::nullopt;
    }
    boost::json::error_code failure;
    value parsed = boost::json::parse({text.data(), text.size()}, failure);
    if (!failure) {
        return parsed;
    }
    if (text == "True" || text == "False") {
        return value(text == "True");
    }
    return std::nullopt;
}

}  // namespace

value Repair::repaired(NodeIndex node, const value& sent) {
    if (sampler_.fits(node, sent)) {
        return sent;
    }
    if (depth_left_ == 0 || repairs_left_ == 0) {
        return sampler_.sample(node);
    }
    --repairs_left_;
    --depth_left_;
    value out = mended(node, sent);
    ++depth_left_;
    return out;
}

value Repair::mended(NodeIndex node, const value& sent) {
    std::optional<value> whole = mended_parts(node, sent);
    if (whole && sampler_.fits(node, *whole)) {
        return std::move(*whole);
    }
    for (const Op op : {Op::any_of, Op::one_of}) {
        const Instruction* const branches = find_instruction(program_, node, op);
        for (std::uint32_t i = 0; branches != nullptr && i < std::min(branches->count, 8U); ++i) {
            value candidate = repaired(program_.node_lists[branches->first + i], sent);
            if (sampler_.fits(node, candidate)) {
                return candidate;
            }
        }
    }
    if (const Instruction* const reference = find_instruction(program_, node, Op::reference)) {
        value candidate = repaired(reference->first, sent);
        if (sampler_.fits(node, candidate)) {
            return candidate;
        }
    }
    for (value& candidate : candidates(node, sent)) {
        if (sampler_.fits(node, candidate)) {
            return std::move(candidate);
        }
    }
    return whole ? std::move(*whole) : sampler_.sample(node);
}

// Returns the sent object or array with its parts repaired, if the schema allows that kind.
std::optional<value> Repair::mended_parts(NodeIndex node, const value& sent) {
    const std::uint32_t kinds = kinds_of(program_, node);
    if (const auto* const members = sent.if_object(); members && (kinds & kObject) != 0) {
        return object(node, *members);
    }
    if (const auto* const items = sent.if_array(); items && (kinds & kArray) != 0) {
        return list(node, *items);
    }
    return std::nullopt;
}

value Repair::object(NodeIndex node, const boost::json::object& sent) {
    const Shape shape = shape_of(program_, node);
    std::vector<std::string_view> unknown;
    for (const auto& member : sent) {
        const std::string_view name{member.key()};
        if (unknown.size() == kMaxUnknown) {
            break;
        }
        if (std::ranges::find(shape.properties, name, &Property::name) == shape.properties.end()) {
            unknown.push_back(name);
        }
    }
    boost::json::object out;
    for (const Property& property : shape.properties) {
        const bool is_required =
            std::ranges::find(shape.required, property.name) != shape.required.end();
        const value* found = sent.if_contains(property.name);
        const bool is_sought = found == nullptr && (is_required || shape.is_closed);
        const auto similar = is_sought ? nearest(property.name, unknown) : std::nullopt;
        if (similar) {
            found = sent.if_contains(*similar);
            std::erase(unknown, *similar);
        }
        if (found != nullptr) {
            out.emplace(property.name, repaired(property.node, *found));
        } else if (is_required) {
            out.emplace(property.name, sampler_.sample(property.node));
        }
    }
    boost::json::object others;
    for (const std::string_view name : unknown) {
        others.emplace(name, *sent.if_contains(name));
    }
    keep_others(node, others, out);
    for (const std::string_view name : shape.required) {
        if (!out.contains(name) && out.size() < kMaxMembers) {
            out.emplace(name, "text");
        }
    }
    return out;
}

// Keeps members that the schema does not describe, if it allows them.
void Repair::keep_others(NodeIndex node, const boost::json::object& others,
                         boost::json::object& out) {
    const Instruction* const members = find_instruction(program_, node, Op::members);
    const MemberRules* const rules =
        members == nullptr ? nullptr : &program_.member_rules[members->first];
    const bool is_closed = shape_of(program_, node).is_closed;
    for (const auto& member : others) {
        const bool is_matched =
            rules != nullptr && std::ranges::any_of(rules->patterns, [&](const PatternRule& rule) {
                const std::string_view name{member.key()};
                return re2::RE2::PartialMatch({name.data(), name.size()},
                                              *program_.patterns[rule.pattern]) &&
                       sampler_.fits(rule.node, member.value());
            });
        if (is_closed && !is_matched) {
            continue;
        }
        const bool is_mendable = !is_matched && rules != nullptr && rules->additional != kNoNode;
        out.emplace(member.key(),
                    is_mendable ? repaired(rules->additional, member.value()) : member.value());
    }
}

value Repair::list(NodeIndex node, const boost::json::array& sent) {
    const Instruction* const rule = find_instruction(program_, node, Op::items);
    const NodeIndex further = items_of(program_, node);
    boost::json::array out;
    for (std::size_t i = 0; i < std::min(sent.size(), kMaxItems); ++i) {
        const bool is_prefix = rule != nullptr && i < rule->count;
        const NodeIndex item = is_prefix ? program_.node_lists[rule->first + i] : further;
        const bool is_refused = item != kNoNode && program_.nodes[item].is_false;
        if (!is_refused) {
            out.push_back(item == kNoNode ? sent[i] : repaired(item, sent[i]));
        }
    }
    if (const Instruction* const most = find_instruction(program_, node, Op::max_items)) {
        out.resize(std::min<std::size_t>(out.size(), most->first));
    }
    if (const Instruction* const least = find_instruction(program_, node, Op::min_items)) {
        while (out.size() < std::min<std::size_t>(least->first, kMaxItems)) {
            out.push_back(further == kNoNode ? value("text") : sampler_.sample(further));
        }
    }
    return out;
}

std::vector<value> Repair::candidates(NodeIndex node, const value& sent) {
    std::vector<value> out;
    const std::uint32_t kinds = kinds_of(program_, node);
    add_near_values(node, sent, out);
    add_coercions(kinds, sent, out);
    if ((kinds & kArray) != 0 && (kinds & kAnyKind) != kAnyKind && !sent.is_array() &&
        !sent.is_null()) {
        boost::json::array one;
        one.push_back(sent);
        out.push_back(list(node, one));
    }
    return out;
}

void Repair::add_coercions(std::uint32_t kinds, const value& sent, std::vector<value>& out) {
    if (const auto* const text = sent.if_string()) {
        if (auto parsed = unquoted(view_of(*text))) {
            out.push_back(std::move(*parsed));
        }
    } else if ((kinds & kString) != 0 && !sent.is_structured() && !sent.is_null()) {
        out.emplace_back(boost::json::string_view{boost::json::serialize(sent)});
    }
    if (const auto* const fraction = sent.if_double();
        fraction && (kinds & kInteger) != 0 && std::abs(*fraction) < 0x1p53) {
        out.emplace_back(static_cast<std::int64_t>(std::round(*fraction)));
    }
}

// Adds the nearest allowed values: of an enumeration, at a limit, or cut to the maximum length.
void Repair::add_near_values(NodeIndex node, const value& sent, std::vector<value>& out) {
    const auto* const text = sent.if_string();
    if (const auto* const list = find_instruction(program_, node, Op::enumeration); list && text) {
        std::vector<std::string_view> texts;
        for (std::uint32_t i = 0; i < list->count; ++i) {
            if (const auto* const each = program_.values[list->first + i]->if_string()) {
                texts.push_back(view_of(*each));
            }
        }
        if (const auto found = nearest(view_of(*text), texts)) {
            out.emplace_back(boost::json::string_view{found->data(), found->size()});
        }
    }
    for (const Op op : {Op::minimum, Op::maximum}) {
        const auto* const bound = find_instruction(program_, node, op);
        const value* const limit = bound == nullptr ? nullptr : program_.values[bound->first];
        if (limit == nullptr || !sent.is_number()) {
            continue;
        }
        const auto order = compare_numbers(sent, *limit);
        if (op == Op::minimum ? order < 0 : order > 0) {
            out.push_back(*limit);
        }
    }
    if (const auto* const most = find_instruction(program_, node, Op::max_length); most && text) {
        const std::string_view cut = first_characters(view_of(*text), most->first);
        out.emplace_back(boost::json::string_view{cut.data(), cut.size()});
    }
}

}  // namespace holdfast::schema
