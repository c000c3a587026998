#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/number_text.hpp"
#include "config/object_reader.hpp"
#include "policy/policy.hpp"

namespace holdfast::policy {

// The kinds of values in a policy. Each kind reads a value from an object and formats it as in a
// config file.

struct FlagKind {
    static void read(config::ObjectReader& object, std::string_view name, bool& into) {
        object.read_bool(name, into);
    }
    static std::string text(bool value) { return value ? "true" : "false"; }
};

/// A group of keys: `"none"`, or an object with the keys.
struct SwitchKind {
    static void read(config::ObjectReader& object, std::string_view name, bool& into);
    static std::string text(bool is_on) { return is_on ? "on" : "none"; }
};

template <bool MayBeZero>
struct DurationKind {
    static void read(config::ObjectReader& object, std::string_view name, Duration& into) {
        object.read_duration(name, into,
                             MayBeZero ? config::kAnyDuration : config::kPositiveDuration);
    }
    static std::string text(Duration value) { return config::duration_text(value); }
};

/// A duration, or `"none"`.
struct OptionalDurationKind {
    static void read(config::ObjectReader& object, std::string_view name,
                     std::optional<Duration>& into);
    static std::string text(const std::optional<Duration>& value) {
        return value ? config::duration_text(*value) : "none";
    }
};

template <std::uint32_t Min, std::uint32_t Max>
struct CountKind {
    static void read(config::ObjectReader& object, std::string_view name, std::uint32_t& into) {
        std::size_t count = into;
        object.read_count(name, count, {.min = Min, .max = Max});
        into = static_cast<std::uint32_t>(count);
    }
    static std::string text(std::uint32_t value) { return std::to_string(value); }
};

/// The limits are in thousandths, because not every compiler accepts floating-point template
/// arguments.
template <int MinThousandths, int MaxThousandths>
struct NumberKind {
    static void read(config::ObjectReader& object, std::string_view name, double& into) {
        object.read_number(name, into, {.min = MinThousandths / 1e3, .max = MaxThousandths / 1e3});
    }
    static std::string text(double value) { return base::number_text(value); }
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
};

/// `"firstTry"`, true or false.
struct WaitForConnectionKind {
    static void read(config::ObjectReader& object, std::string_view name, WaitForConnection& into);
    static std::string text(WaitForConnection value);
};

/// Text for an agent, with placeholders.
struct TemplateKind {
    static void read(config::ObjectReader& object, std::string_view name, std::string& into);
    static std::string text(const std::string& words) { return words; }
};

/// `degrade.texts`
struct DegradeTextsKind {
    using Texts = decltype(DegradeRules::texts);
    static void read(config::ObjectReader& object, std::string_view name, Texts& into);
    static std::string text(const Texts& texts);
};

/// The names of an enumeration's values in a config.
template <class Choice>
struct Choices;

template <>
struct Choices<Detail> {
    static constexpr std::array<config::NamedChoice<Detail>, 4> kAll = {{
        {.name = "minimal", .choice = Detail::minimal},
        {.name = "standard", .choice = Detail::standard},
        {.name = "selfCorrect", .choice = Detail::self_correct},
        {.name = "debug", .choice = Detail::debug},
    }};
};

template <>
struct Choices<JunkRule> {
    static constexpr std::array<config::NamedChoice<JunkRule>, 2> kAll = {{
        {.name = "skip", .choice = JunkRule::skip},
        {.name = "fail", .choice = JunkRule::fail},
    }};
};

template <>
struct Choices<DegradeAs> {
    static constexpr std::array<config::NamedChoice<DegradeAs>, 2> kAll = {{
        {.name = "error", .choice = DegradeAs::error},
        {.name = "result", .choice = DegradeAs::result},
    }};
};

template <>
struct Choices<resilience::RepeatRule> {
    static constexpr std::array<config::NamedChoice<resilience::RepeatRule>, 2> kAll = {{
        {.name = "safe", .choice = resilience::RepeatRule::safe},
        {.name = "always", .choice = resilience::RepeatRule::always},
    }};
};

template <>
struct Choices<ProbeBy> {
    static constexpr std::array<config::NamedChoice<ProbeBy>, 2> kAll = {{
        {.name = "call", .choice = ProbeBy::call},
        {.name = "ping", .choice = ProbeBy::ping},
    }};
};

template <>
struct Choices<resilience::CircuitCounts> {
    static constexpr std::array<config::NamedChoice<resilience::CircuitCounts>, 2> kAll = {{
        {.name = "call", .choice = resilience::CircuitCounts::call},
        {.name = "attempt", .choice = resilience::CircuitCounts::attempt},
    }};
};

template <class Choice>
struct ChoiceKind {
    static void read(config::ObjectReader& object, std::string_view name, Choice& into) {
        into = object.read_choice<Choice>(name, Choices<Choice>::kAll).value_or(into);
    }
    static std::string text(Choice value) {
        for (const auto& choice : Choices<Choice>::kAll) {
            if (choice.choice == value) {
                return std::string{choice.name};
            }
        }
        return {};
    }
};

}  // namespace holdfast::policy
