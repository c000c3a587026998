#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/number_text.hpp"
#include "config/object_reader.hpp"
#include "config/value_kinds.hpp"
#include "policy/policy.hpp"

namespace holdfast::policy {

// The kinds of values that only keys of a policy have; see config/value_kinds.hpp for the others.

/// A group of keys: `"none"`, or an object with the keys.
struct SwitchKind {
    static void read(config::ObjectReader& object, std::string_view name, bool& into);
    static std::string text(bool is_on) { return is_on ? "on" : "none"; }
    /// The object is described with the group; see `policy_schema`.
    static config::Node schema(bool is_on);
};

/// A duration, or `"none"`.
struct OptionalDurationKind {
    static void read(config::ObjectReader& object, std::string_view name,
                     std::optional<Duration>& into);
    static std::string text(const std::optional<Duration>& value) {
        return value ? config::duration_text(*value) : "none";
    }
    static config::Node schema(const std::optional<Duration>& value);
};

/// Names of error classes. Their existence is checked later, when the classes are known.
struct ClassNamesKind {
    static void read(config::ObjectReader& object, std::string_view name,
                     std::vector<std::string>& into) {
        object.read_texts(name, into);
    }
    static void read(config::ObjectReader& object, std::string_view name,
                     std::optional<std::vector<std::string>>& into) {
        object.read_texts(name, into.emplace());
    }
    static std::string text(const std::vector<std::string>& names);
    static std::string text(const std::optional<std::vector<std::string>>& names) {
        return names ? text(*names) : "as each class says";
    }
    static config::Node schema(const std::vector<std::string>& names) {
        return config::TextsKind::schema(names);
    }
    static config::Node schema(const std::optional<std::vector<std::string>>& names) {
        return schema(names.value_or(std::vector<std::string>{}));
    }
};

/// `"firstTry"`, true or false.
struct WaitForConnectionKind {
    static void read(config::ObjectReader& object, std::string_view name, WaitForConnection& into);
    static std::string text(WaitForConnection value);
    static config::Node schema(WaitForConnection value);
};

/// A text for an agent, with placeholders.
struct TemplateKind {
    static void read(config::ObjectReader& object, std::string_view name, std::string& into);
    static std::string text(const std::string& words) { return words; }
    static config::Node schema(const std::string& words) { return config::TextKind::schema(words); }
};

/// `degrade.texts`
struct DegradeTextsKind {
    using Texts = decltype(DegradeRules::texts);
    static void read(config::ObjectReader& object, std::string_view name, Texts& into);
    static std::string text(const Texts& texts);
    static config::Node schema(const Texts& texts);
};

}  // namespace holdfast::policy

namespace holdfast::config {

template <>
struct Choices<policy::Detail> {
    static constexpr std::array<NamedChoice<policy::Detail>, 4> kAll = {{
        {.name = "minimal", .choice = policy::Detail::minimal},
        {.name = "standard", .choice = policy::Detail::standard},
        {.name = "selfCorrect", .choice = policy::Detail::self_correct},
        {.name = "debug", .choice = policy::Detail::debug},
    }};
};

template <>
struct Choices<policy::JunkRule> {
    static constexpr std::array<NamedChoice<policy::JunkRule>, 2> kAll = {{
        {.name = "skip", .choice = policy::JunkRule::skip},
        {.name = "fail", .choice = policy::JunkRule::fail},
    }};
};

template <>
struct Choices<policy::DegradeAs> {
    static constexpr std::array<NamedChoice<policy::DegradeAs>, 2> kAll = {{
        {.name = "error", .choice = policy::DegradeAs::error},
        {.name = "result", .choice = policy::DegradeAs::result},
    }};
};

template <>
struct Choices<resilience::RepeatRule> {
    static constexpr std::array<NamedChoice<resilience::RepeatRule>, 2> kAll = {{
        {.name = "safe", .choice = resilience::RepeatRule::safe},
        {.name = "always", .choice = resilience::RepeatRule::always},
    }};
};

template <>
struct Choices<policy::ProbeBy> {
    static constexpr std::array<NamedChoice<policy::ProbeBy>, 2> kAll = {{
        {.name = "call", .choice = policy::ProbeBy::call},
        {.name = "ping", .choice = policy::ProbeBy::ping},
    }};
};

template <>
struct Choices<resilience::CircuitCounts> {
    static constexpr std::array<NamedChoice<resilience::CircuitCounts>, 2> kAll = {{
        {.name = "call", .choice = resilience::CircuitCounts::call},
        {.name = "attempt", .choice = resilience::CircuitCounts::attempt},
    }};
};

}  // namespace holdfast::config
