#include <algorithm>
#include <charconv>
#include <span>
#include <vector>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/string.hpp>

#include "schema/advice/describe.hpp"
#include "schema/advice/expectation.hpp"
#include "schema/advice/nearest.hpp"
#include "schema/evaluate/kind_of.hpp"
#include "schema/evaluate/property_order.hpp"

// Advice on how to repair a violation: the name that was probably meant, the nearest allowed value.

namespace holdfast::schema {
namespace {

std::vector<std::string_view> property_names(const Program& program, NodeIndex node) {
    std::vector<std::string_view> names;
    if (node == kNoNode) {
        return names;
    }
    if (const Instruction* const members = find_instruction(program, node, Op::members)) {
        for (const Property& property : program.member_rules[members->first].properties) {
            names.push_back(property.name);
        }
    }
    return names;
}

std::string did_you_mean(std::string_view name) {
    return "did you mean " + quoted(name) + "?";
}

// For an unknown member: suggests a property of the schema that the object does not have yet.
std::string advice_for_unknown(const Program& program, const Failure& failure) {
    const bool is_member = failure.place != nullptr && failure.place->is_key;
    const auto* const object = is_member ? failure.place->whole->if_object() : nullptr;
    if (object == nullptr) {
        return {};
    }
    std::vector<std::string_view> names =
        property_names(program, program.origins[failure.node].parent);
    std::erase_if(names, [&](std::string_view name) { return object->contains(name); });
    const auto found = nearest(failure.place->key, names);
    return found ? did_you_mean(*found) : "remove it";
}

std::string advice_for_required(const Program& program, const Failure& failure) {
    const boost::json::object& object = failure.value.get_object();
    const std::vector<std::string_view> known = property_names(program, failure.node);
    std::vector<std::string_view> unknown;
    for (const auto& member : object) {
        if (!std::ranges::binary_search(known, std::string_view{member.key()}, PropertyOrder{})) {
            unknown.emplace_back(member.key());
        }
    }
    constexpr std::size_t kEnoughBytes = 200;
    std::string added;
    std::string renamed;
    for (std::uint32_t i = 0; i < failure.instruction.count; ++i) {
        if (added.size() + renamed.size() > kEnoughBytes) {
            break;
        }
        const std::string_view name = program.names[failure.instruction.first + i];
        if (object.contains(name)) {
            continue;
        }
        if (const auto found = nearest(name, unknown)) {
            renamed +=
                (renamed.empty() ? "rename " : ", ") + quoted(*found) + " to " + quoted(name);
        } else {
            added += (added.empty() ? "add " : ", ") + quoted(name);
        }
    }
    return renamed + (renamed.empty() || added.empty() ? "" : "; ") + added;
}

std::string advice_for_enumeration(const Program& program, const Failure& failure) {
    const auto* const sent = failure.value.if_string();
    std::vector<std::string_view> texts;
    for (std::uint32_t i = 0; i < failure.instruction.count; ++i) {
        const auto* const text = program.values[failure.instruction.first + i]->if_string();
        if (text != nullptr) {
            texts.emplace_back(text->data(), text->size());
        }
    }
    const auto found =
        sent == nullptr ? std::nullopt : nearest({sent->data(), sent->size()}, texts);
    return found ? did_you_mean(*found) : std::string{};
}

bool is_number_text(const boost::json::string& text) {
    double number = 0;
    const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
    return !text.empty() && read.ec == std::errc{} && read.ptr == text.data() + text.size();
}

std::string advice_for_type(const Failure& failure) {
    const std::uint32_t wanted = failure.instruction.first;
    if (const auto* const text = failure.value.if_string()) {
        const bool is_number = (wanted & (kNumber | kInteger)) != 0 && is_number_text(*text);
        const bool is_truth = (wanted & kBoolean) != 0 && (*text == "true" || *text == "false");
        const bool is_json = (wanted & (kObject | kArray)) != 0 && !text->empty() &&
                             (text->front() == '{' || text->front() == '[');
        if (is_number || is_truth || is_json) {
            return "send it without quotes";
        }
    }
    if ((wanted & kString) != 0 && !failure.value.is_structured() && !failure.value.is_null()) {
        return "send it as text, in quotes";
    }
    return (wanted & kArray) != 0 && kind_of(failure.value) != kNull ? "send it as a list"
                                                                     : std::string{};
}

}  // namespace

std::string advice(const Program& program, const Failure& failure) {
    switch (failure.instruction.op) {
        case Op::never:
            return advice_for_unknown(program, failure);
        case Op::required:
            return advice_for_required(program, failure);
        case Op::enumeration:
            return advice_for_enumeration(program, failure);
        case Op::type:
            return advice_for_type(failure);
        default:
            return {};
    }
}

}  // namespace holdfast::schema
