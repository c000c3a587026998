#include <algorithm>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/string.hpp>

#include "schema/compile/assembler.hpp"
#include "schema/evaluate/property_order.hpp"

// The keywords that apply subschemas.

namespace holdfast::schema {

using boost::json::value;

void Assembler::dependents(std::string_view keyword, const value& operand) {
    const auto* const entries = operand.if_object();
    if (entries == nullptr) {
        malformed(keyword, "an object");
        return;
    }
    std::vector<Dependent> with_names;
    std::vector<Dependent> with_schemas;
    for (const auto& entry : *entries) {
        Dependent dependent{.name = entry.key()};
        if (keyword == "dependentRequired" || entry.value().is_array()) {
            const auto range = names(keyword, entry.value());
            if (!range) {
                return;
            }
            dependent.first_name = range->first;
            dependent.name_count = range->count;
            with_names.push_back(dependent);
        } else {
            dependent.node = index_.node_at(entry.value());
            with_schemas.push_back(dependent);
        }
    }
    for (const auto& [op, list] : {std::pair{Op::dependent_required, &with_names},
                                   std::pair{Op::dependent_schemas, &with_schemas}}) {
        if (!list->empty()) {
            emit({.op = op,
                  .kinds = kObject,
                  .first = static_cast<std::uint32_t>(program_.dependents.size()),
                  .count = static_cast<std::uint32_t>(list->size())});
            program_.dependents.insert(program_.dependents.end(), list->begin(), list->end());
        }
    }
}

MemberRules& Assembler::member_rules() {
    if (!has_members_) {
        has_members_ = true;
        emit({.op = Op::members,
              .kinds = kObject,
              .first = static_cast<std::uint32_t>(program_.member_rules.size())});
        program_.member_rules.emplace_back();
    }
    return program_.member_rules.back();
}

void Assembler::members(std::string_view keyword, const value& operand) {
    if (keyword == "additionalProperties") {
        member_rules().additional = index_.node_at(operand);
        return;
    }
    const boost::json::object& entries = operand.get_object();  // the index has checked the type
    if (keyword == "patternProperties") {
        pattern_members(entries);
        return;
    }
    std::vector<Property>& properties = member_rules().properties;
    properties.reserve(entries.size());
    for (const auto& entry : entries) {
        properties.push_back({.name = entry.key(), .node = index_.node_at(entry.value())});
    }
    std::ranges::sort(properties, PropertyOrder{}, &Property::name);
}

void Assembler::pattern_members(const boost::json::object& patterns) {
    MemberRules& rules = member_rules();
    for (const auto& entry : patterns) {
        const PatternCache::Outcome& outcome = patterns_.add(entry.key());
        const NodeIndex node = index_.node_at(entry.value());
        if (const auto* const reason = std::get_if<std::string>(&outcome)) {
            rules.has_skipped_pattern = true;
            skip(location_of(program_, node, {}), *reason);
        } else {
            rules.patterns.push_back({.pattern = std::get<std::uint32_t>(outcome), .node = node});
        }
    }
}

Assembler::Range Assembler::nodes_of(const value& list) {
    Range range{.first = static_cast<std::uint32_t>(program_.node_lists.size())};
    for (const value& each : list.get_array()) {
        program_.node_lists.push_back(index_.node_at(each));
        ++range.count;
    }
    return range;
}

void Assembler::items(std::string_view /*keyword*/, const value& /*operand*/) {
    if (has_items_) {
        return;
    }
    has_items_ = true;
    const value* prefix = sibling("prefixItems");
    const value* rest = sibling("items");
    if (rest != nullptr && rest->is_array()) {
        // Draft 7: a list under `items`, the schema of further items under `additionalItems`.
        prefix = prefix == nullptr ? rest : prefix;
        rest = sibling("additionalItems");
    }
    const Range range = prefix == nullptr ? Range{} : nodes_of(*prefix);
    emit({.op = Op::items,
          .kinds = kArray,
          .first = range.first,
          .count = range.count,
          .rest = rest == nullptr ? kNoNode : index_.node_at(*rest)});
}

void Assembler::contains(std::string_view /*keyword*/, const value& operand) {
    ContainRule rule{.node = index_.node_at(operand)};
    const bool has_counts =
        (program_.resources[program_.nodes[node_].resource].vocabularies & 4U) != 0;
    if (const value* const min = has_counts ? sibling("minContains") : nullptr) {
        rule.min = count_of("minContains", *min).value_or(1);
    }
    if (const value* const max = has_counts ? sibling("maxContains") : nullptr) {
        rule.max = count_of("maxContains", *max).value_or(UINT64_MAX);
    }
    emit({.op = Op::contains,
          .kinds = kArray,
          .first = static_cast<std::uint32_t>(program_.contain_rules.size())});
    program_.contain_rules.push_back(rule);
}

void Assembler::list(std::string_view keyword, const value& operand) {
    const Range range = nodes_of(operand);
    const Op op = keyword == "allOf" ? Op::all_of : keyword == "anyOf" ? Op::any_of : Op::one_of;
    if (range.count == 0) {
        malformed(keyword, "a list with at least one schema");
    }
    emit({.op = op, .first = range.first, .count = range.count});
}

void Assembler::single(std::string_view keyword, const value& operand) {
    Instruction instruction{.first = index_.node_at(operand)};
    if (keyword == "not") {
        instruction.op = Op::negation;
    } else if (keyword == "propertyNames") {
        instruction.op = Op::property_names;
        instruction.kinds = kObject;
    } else {
        const bool is_items = keyword == "unevaluatedItems";
        instruction.op = is_items ? Op::unevaluated_items : Op::unevaluated_properties;
        instruction.kinds = is_items ? kArray : kObject;
        program_.nodes[node_].has_unevaluated = true;
    }
    emit(instruction);
}

void Assembler::conditional(std::string_view /*keyword*/, const value& operand) {
    const auto first = static_cast<std::uint32_t>(program_.node_lists.size());
    program_.node_lists.push_back(index_.node_at(operand));
    program_.node_lists.push_back(sibling_node("then"));
    program_.node_lists.push_back(sibling_node("else"));
    emit({.op = Op::conditional, .first = first, .count = 3});
}

void Assembler::reference(std::string_view keyword, const value& operand) {
    const auto* const text = operand.if_string();
    if (text == nullptr) {
        malformed(keyword, "a string");
        return;
    }
    emit({.op = Op::reference,
          .first = index_.resolve(node_, keyword, {text->data(), text->size()})});
}

void Assembler::dynamic_reference(std::string_view keyword, const value& operand) {
    const auto* const text = operand.if_string();
    if (text == nullptr) {
        malformed(keyword, "a string");
        return;
    }
    const std::string_view reference{text->data(), text->size()};
    const NodeIndex target = index_.resolve(node_, keyword, reference);
    DynamicReference dynamic{.target = target};
    // Only a fragment that names a dynamic anchor starts the search through the scopes.
    const std::string_view anchor = index_.dynamic_anchor_of(target);
    const std::size_t hash = reference.find('#');
    if (!anchor.empty() && hash != std::string_view::npos && reference.substr(hash + 1) == anchor) {
        dynamic.anchor = anchor;
    }
    emit({.op = Op::dynamic_reference,
          .first = static_cast<std::uint32_t>(program_.dynamic_references.size())});
    program_.dynamic_references.push_back(dynamic);
}

}  // namespace holdfast::schema
