#include "config/object_reader.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

#include "base/nearest_name.hpp"
#include "base/number_text.hpp"
#include "holdfast/resilience/expect.hpp"

namespace holdfast::config {
namespace {

std::optional<bool> as_bool(const Node& value) {
    if (value.kind == NodeKind::boolean) {
        return value.boolean;
    }
    const bool has_reference = !value.written.empty();
    if (has_reference) {
        return parsed_flag(scalar_text(value));
    }
    if (value.kind == NodeKind::text && (value.text == "true" || value.text == "false")) {
        return value.text == "true";
    }
    return std::nullopt;
}

std::optional<double> as_number(const Node& value) {
    if (value.kind == NodeKind::number) {
        return value.number;
    }
    return value.kind == NodeKind::text ? parsed_number(scalar_text(value)) : std::nullopt;
}

/// A number without a unit is ambiguous in a file, and seconds in a variable.
std::optional<Duration> as_duration(const Node& value) {
    if (value.kind != NodeKind::text) {
        return std::nullopt;
    }
    return value.variable.empty() ? parsed_duration(value.text)
                                  : parsed_variable_duration(scalar_text(value));
}

std::string_view expected_duration(const Node& value) {
    return value.variable.empty() ? "a duration with its unit, as in \"200ms\", \"30s\" or \"2m\""
                                  : "seconds, or a duration as in \"90s\" or \"1500ms\"";
}

std::string_view expected_flag(const Node& value) {
    return value.variable.empty() ? "true or false" : "true, false, 1, 0, yes, no, on or off";
}

std::string between(const std::string& min, const std::string& max) {
    return "between " + min + " and " + max;
}

}  // namespace

ObjectReader::ObjectReader(FaultReport& report, const Node& object, std::string path)
    : report_(report), object_(object), path_(std::move(path)) {
    HOLDFAST_EXPECT(object.kind == NodeKind::object);
}

const Node* ObjectReader::find(std::string_view key) {
    if (!is_known(key)) {
        known_.push_back(key);
    }
    const Node* value = object_.find(key);
    return value != nullptr && value->is_unresolved ? nullptr : value;
}

const Node* ObjectReader::find_object(std::string_view key) {
    const Node* value = find(key);
    if (value != nullptr && value->kind != NodeKind::object) {
        refuse_kind(*value, key, "an object");
        return nullptr;
    }
    return value;
}

const Node* ObjectReader::find_list(std::string_view key) {
    const Node* value = find(key);
    if (value != nullptr && value->kind != NodeKind::list) {
        refuse_kind(*value, key, "a list");
        return nullptr;
    }
    return value;
}

void ObjectReader::read_bool(std::string_view key, bool& into) {
    std::optional<bool> value;
    read_bool(key, value);
    into = value.value_or(into);
}

void ObjectReader::read_bool(std::string_view key, std::optional<bool>& into) {
    const Node* value = find(key);
    if (value == nullptr) {
        return;
    }
    if (const auto flag = as_bool(*value)) {
        into = flag;
    } else {
        refuse_value(*value, key, expected_flag(*value));
    }
}

void ObjectReader::read_text(std::string_view key, std::string& into) {
    const Node* value = find(key);
    if (value == nullptr) {
        return;
    }
    if (value->kind == NodeKind::text) {
        into = value->text;
    } else {
        refuse_kind(*value, key, "text in double quotes");
    }
}

void ObjectReader::read_texts(std::string_view key, std::vector<std::string>& into) {
    const Node* list = find_list(key);
    if (list == nullptr) {
        return;
    }
    into.clear();
    for (const Node& item : list->items) {
        if (item.kind == NodeKind::text) {
            into.push_back(item.text);
        } else {
            const auto index = static_cast<std::size_t>(&item - list->items.data());
            report_.refuse(item.place, path_of(key) + '[' + std::to_string(index) +
                                           "]: must be text in double quotes, not " +
                                           std::string{kind_phrase(item)});
        }
    }
}

void ObjectReader::read_duration(std::string_view key, Duration& into,
                                 const Range<Duration>& range) {
    const Node* value = find(key);
    if (value == nullptr) {
        return;
    }
    const auto duration = as_duration(*value);
    if (!duration) {
        refuse_value(*value, key, expected_duration(*value));
    } else if (*duration < range.min || *duration > range.max) {
        refuse_value(*value, key, between(duration_text(range.min), duration_text(range.max)));
    } else {
        warn_if_long(*value, key, *duration);
        into = *duration;
    }
}

void ObjectReader::read_bytes(std::string_view key, std::size_t& into,
                              const Range<std::size_t>& range) {
    const Node* value = find(key);
    if (value == nullptr) {
        return;
    }
    const bool is_amount = value->kind == NodeKind::text || value->kind == NodeKind::number;
    const auto size_bytes = is_amount ? parsed_byte_size(scalar_text(*value)) : std::nullopt;
    if (!size_bytes) {
        refuse_value(*value, key, "a size, as in \"64kB\" or \"8MB\", or a number of bytes");
    } else if (*size_bytes < range.min || *size_bytes > range.max) {
        refuse_value(*value, key, between(byte_size_text(range.min), byte_size_text(range.max)));
    } else {
        into = *size_bytes;
    }
}

void ObjectReader::read_count(std::string_view key, std::size_t& into,
                              const Range<std::size_t>& range) {
    const Node* value = find(key);
    if (value == nullptr) {
        return;
    }
    const auto number = as_number(*value);
    if (!number || *number != std::floor(*number)) {
        refuse_value(*value, key, "a whole number");
    } else if (*number < static_cast<double>(range.min) ||
               *number > static_cast<double>(range.max)) {
        refuse_value(*value, key, between(std::to_string(range.min), std::to_string(range.max)));
    } else {
        into = static_cast<std::size_t>(*number);
    }
}

void ObjectReader::read_number(std::string_view key, double& into, const Range<double>& range) {
    const Node* value = find(key);
    if (value == nullptr) {
        return;
    }
    const auto number = as_number(*value);
    if (!number) {
        refuse_value(*value, key, "a number");
    } else if (*number < range.min || *number > range.max) {
        refuse_value(*value, key,
                     between(base::number_text(range.min), base::number_text(range.max)));
    } else {
        into = *number;
    }
}

std::optional<std::size_t> ObjectReader::choice_index(std::string_view key,
                                                      std::span<const std::string_view> names) {
    const Node* value = find(key);
    if (value == nullptr) {
        return std::nullopt;
    }
    const auto found = std::ranges::find(names, scalar_text(*value));
    if (value->kind == NodeKind::text && found != names.end()) {
        return static_cast<std::size_t>(found - names.begin());
    }
    std::string expected = "one of";
    for (const std::string_view name : names) {
        expected.append(expected.ends_with('"') ? ", \"" : " \"").append(name).append("\"");
    }
    refuse_value(*value, key, expected);
    return std::nullopt;
}

void ObjectReader::refuse_unknown(std::span<const KeyInfo> keys) const {
    std::vector<std::string_view> names;
    names.reserve(keys.size());
    std::ranges::transform(keys, std::back_inserter(names), &KeyInfo::name);
    for (const std::string_view asked : known_) {
        HOLDFAST_EXPECT(std::ranges::find(names, asked) != names.end());
    }
    for (const Member& member : object_.members) {
        if (report_.is_full()) {
            return;
        }
        if (std::ranges::find(names, member.key) != names.end()) {
            continue;
        }
        const std::string_view replacement = replacement_of(path_, member.key);
        if (!replacement.empty()) {
            report_.refuse(member.key_place,
                           path_of(member.key) + ": removed key; " + std::string{replacement});
            continue;
        }
        const auto nearest = base::nearest_names(member.key, names, 1);
        report_.refuse(member.key_place, path_of(member.key) + ": unknown key; the nearest is \"" +
                                             std::string{nearest.front()} + '"');
    }
}

void ObjectReader::refuse(const Node& value, std::string_view key, std::string_view message) const {
    report_.refuse(value.place, path_of(key) + ": " + std::string{message},
                   value.written.empty() ? FaultCause::file : FaultCause::external);
}

void ObjectReader::refuse_external(const Node& value, std::string_view key,
                                   std::string_view message) const {
    report_.refuse(value.place, path_of(key) + ": " + std::string{message}, FaultCause::external);
}

void ObjectReader::refuse_together(std::initializer_list<std::string_view> keys,
                                   std::string_view message) const {
    const bool is_external = std::ranges::any_of(keys, [this](std::string_view key) {
        const Node* value = object_.find(key);
        return value != nullptr && has_reference(*value);
    });
    report_.refuse(object_.place, path_ + ": " + std::string{message},
                   is_external ? FaultCause::external : FaultCause::file);
}

void ObjectReader::refuse_kind(const Node& value, std::string_view key,
                               std::string_view expected) const {
    refuse(value, key,
           "must be " + std::string{expected} + ", not " + std::string{kind_phrase(value)});
}

void ObjectReader::refuse_value(const Node& value, std::string_view key,
                                std::string_view expected) const {
    if (value.variable.empty()) {
        refuse(value, key, "must be " + std::string{expected} + ", not " + shown(value));
        return;
    }
    const std::string_view text = scalar_text(value);
    std::string problem = " is empty";
    if (value.is_secret) {
        problem = " has an invalid value";
    } else if (!text.empty()) {
        problem = " is \"" + printable(text) + '"';
    }
    refuse(value, key,
           "the variable " + value.variable + problem + "; expected " + std::string{expected});
}

void ObjectReader::warn_if_long(const Node& value, std::string_view key, Duration duration) const {
    constexpr Duration kLong = std::chrono::hours{1};
    if (value.variable.empty() || duration <= kLong) {
        return;
    }
    const std::string shown_value =
        value.is_secret ? std::string{} : " is \"" + printable(scalar_text(value)) + '"';
    report_.warn(value.place, path_of(key) + ": the variable " + value.variable + shown_value +
                                  ", more than 3600 s; a number without a unit is seconds");
}

bool ObjectReader::is_known(std::string_view key) const {
    return std::ranges::find(known_, key) != known_.end();
}

}  // namespace holdfast::config
