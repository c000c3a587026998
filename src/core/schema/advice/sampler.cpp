#include "schema/advice/sampler.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/string.hpp>

#include "schema/advice/describe.hpp"
#include "schema/advice/shape.hpp"
#include "schema/evaluate/evaluator.hpp"

// Values from the schema come first: a constant, a default, an example, the first enumerated value.
// Otherwise the type decides, and limits are tried as candidates. Every candidate is checked
// against the schema, so the caller can see that a sample is invalid if it cannot be derived, such
// as a text for a pattern. Checks, samples and depth are limited.

namespace holdfast::schema {
namespace {

using boost::json::value;

constexpr std::uint64_t kStepsPerCheck = 20'000;
constexpr std::size_t kMaxSampleMembers = 100;
constexpr std::size_t kMaxSampleItems = 3;
constexpr std::size_t kMaxSampleText = 200;

constexpr std::array kFormats{
    std::pair{std::string_view{"date-time"}, "2025-01-31T12:00:00Z"},
    std::pair{std::string_view{"date"}, "2025-01-31"},
    std::pair{std::string_view{"time"}, "12:00:00Z"},
    std::pair{std::string_view{"duration"}, "PT1H"},
    std::pair{std::string_view{"email"}, "name@example.com"},
    std::pair{std::string_view{"hostname"}, "example.com"},
    std::pair{std::string_view{"ipv4"}, "192.0.2.1"},
    std::pair{std::string_view{"ipv6"}, "2001:db8::1"},
    std::pair{std::string_view{"uri"}, "https://example.com/"},
    std::pair{std::string_view{"url"}, "https://example.com/"},
    std::pair{std::string_view{"uuid"}, "123e4567-e89b-12d3-a456-426614174000"},
};

const boost::json::object* schema_object(const Program& program, NodeIndex node) {
    return program.origins[node].value->if_object();
}

std::string_view format_sample(const boost::json::object* schema) {
    const value* const format = schema == nullptr ? nullptr : schema->if_contains("format");
    if (format != nullptr && format->is_string()) {
        for (const auto& [name, sample] : kFormats) {
            if (format->get_string() == name) {
                return sample;
            }
        }
    }
    return "text";
}

}  // namespace

bool Sampler::fits(NodeIndex node, const value& candidate) {
    ValidateLimits limits;
    limits.max_steps = std::min(kStepsPerCheck, steps_left_);
    Evaluator evaluator{program_, limits};
    const bool is_valid = evaluator.run(node, candidate) == Verdict::valid;
    steps_left_ -= limits.max_steps - evaluator.steps_left();
    return is_valid;
}

value Sampler::sample(NodeIndex node) {
    value out;
    if (samples_left_ == 0 || depth_left_ == 0) {
        return out;
    }
    --samples_left_;
    if (offered(node, out)) {
        return out;
    }
    --depth_left_;
    const std::uint32_t kinds = kinds_of(program_, node);
    const bool is_open = (kinds & kAnyKind) == kAnyKind;
    if (is_open && from_branches(node, out)) {
        // The chosen branch has made the sample.
    } else if ((kinds & kObject) != 0 &&
               (!is_open || !shape_of(program_, node).properties.empty())) {
        out = object(node);
    } else if ((kinds & kString) != 0) {
        out = text(node);
    } else if ((kinds & (kNumber | kInteger)) != 0) {
        out = number(node);
    } else if ((kinds & kArray) != 0) {
        out = list(node);
    } else if ((kinds & kBoolean) != 0) {
        const std::array<value, 2> candidates{value(true), value(false)};
        out = first_fitting(node, candidates);
    }
    ++depth_left_;
    return out;
}

// Takes a value that the schema itself contains.
bool Sampler::offered(NodeIndex node, value& out) {
    std::vector<const value*> offers;
    const auto* const schema = schema_object(program_, node);
    for (const std::string_view keyword : {"const", "default", "examples", "enum"}) {
        const value* const found = schema == nullptr ? nullptr : schema->if_contains(keyword);
        if (found == nullptr) {
            continue;
        }
        const bool is_list = keyword == "examples" || keyword == "enum";
        if (!is_list) {
            offers.push_back(found);
        } else if (found->is_array() && !found->get_array().empty()) {
            offers.push_back(&found->get_array().front());
        }
    }
    const auto fitting =
        std::ranges::find_if(offers, [&](const value* offer) { return fits(node, *offer); });
    if (fitting == offers.end()) {
        return from_reference(node, out);
    }
    out = **fitting;
    return true;
}

bool Sampler::from_reference(NodeIndex node, value& out) {
    const Instruction* const reference = find_instruction(program_, node, Op::reference);
    if (reference == nullptr || depth_left_ == 1) {
        return false;
    }
    --depth_left_;
    out = sample(reference->first);
    ++depth_left_;
    return fits(node, out);
}

bool Sampler::from_branches(NodeIndex node, value& out) {
    for (const Op op : {Op::any_of, Op::one_of, Op::all_of}) {
        const Instruction* const list = find_instruction(program_, node, op);
        for (std::uint32_t i = 0; list != nullptr && i < std::min(list->count, 8U); ++i) {
            out = sample(program_.node_lists[list->first + i]);
            if (fits(node, out)) {
                return true;
            }
        }
    }
    return false;
}

value Sampler::first_fitting(NodeIndex node, std::span<const value> candidates) {
    const auto found = std::ranges::find_if(
        candidates, [&](const value& candidate) { return fits(node, candidate); });
    return found == candidates.end() ? candidates.front() : *found;
}

value Sampler::number(NodeIndex node) {
    std::vector<value> candidates{value(1), value(0)};
    for (const Op op : {Op::minimum, Op::maximum, Op::multiple_of, Op::exclusive_minimum,
                        Op::exclusive_maximum}) {
        const Instruction* const found = find_instruction(program_, node, op);
        if (found == nullptr) {
            continue;
        }
        const value& limit = *program_.values[found->first];
        candidates.push_back(limit);
        const bool is_small = limit.is_int64() && limit.get_int64() > -1'000'000'000'000 &&
                              limit.get_int64() < 1'000'000'000'000;
        if (is_small) {
            candidates.emplace_back(limit.get_int64() + 1);
            candidates.emplace_back(limit.get_int64() - 1);
        } else if (limit.is_double()) {
            candidates.emplace_back(limit.get_double() + 0.5);
            candidates.emplace_back(limit.get_double() - 0.5);
        }
    }
    return first_fitting(node, candidates);
}

value Sampler::text(NodeIndex node) {
    std::string plain{format_sample(schema_object(program_, node))};
    if (const Instruction* const least = find_instruction(program_, node, Op::min_length)) {
        const std::size_t size = std::min<std::size_t>(least->first, kMaxSampleText);
        plain.resize(std::max(plain.size(), size), 'x');
    }
    if (const Instruction* const most = find_instruction(program_, node, Op::max_length)) {
        plain.resize(std::min<std::size_t>(plain.size(), most->first));
    }
    return value(boost::json::string_view{plain});
}

value Sampler::list(NodeIndex node) {
    boost::json::array items;
    const Instruction* const least = find_instruction(program_, node, Op::min_items);
    const Instruction* const rule = find_instruction(program_, node, Op::items);
    const std::size_t wanted = least == nullptr ? 0 : least->first;
    const NodeIndex further = items_of(program_, node);
    for (std::size_t i = 0; i < std::min(wanted, kMaxSampleItems); ++i) {
        const bool is_prefix = rule != nullptr && i < rule->count;
        const NodeIndex item = is_prefix ? program_.node_lists[rule->first + i] : further;
        items.push_back(item == kNoNode ? value("text") : sample(item));
    }
    return items;
}

value Sampler::object(NodeIndex node) {
    const Shape shape = shape_of(program_, node);
    boost::json::object members;
    for (const std::string_view name : shape.required) {
        const auto found = std::ranges::find(shape.properties, name, &Property::name);
        const bool is_described = found != shape.properties.end();
        if (!members.contains(name) && members.size() < kMaxSampleMembers) {
            members.emplace(name, is_described ? sample(found->node) : value("text"));
        }
    }
    return members;
}

}  // namespace holdfast::schema
