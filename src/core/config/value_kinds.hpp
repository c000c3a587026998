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
#include "config/quantity.hpp"
#include "config/schema_nodes.hpp"

namespace holdfast::config {

// The kinds of values that keys have. Each reads a value out of an object, writes it as it would be
// written in the file, and describes it by a JSON Schema whose default is the given value.

struct FlagKind {
    static void read(ObjectReader& object, std::string_view name, bool& into) {
        object.read_bool(name, into);
    }
    static void read(ObjectReader& object, std::string_view name, std::optional<bool>& into) {
        object.read_bool(name, into);
    }
    static std::string text(bool value) { return value ? "true" : "false"; }
    static Node schema(bool value) { return with_default(flag_schema(), flag_node(value)); }
    static Node schema(const std::optional<bool>& value) {
        return value ? schema(*value) : flag_schema();
    }
};

struct TextKind {
    static void read(ObjectReader& object, std::string_view name, std::string& into) {
        object.read_text(name, into);
    }
    static std::string text(const std::string& value) { return value; }
    static Node schema(const std::string& value) {
        return value.empty() ? text_schema() : with_default(text_schema(), text_node(value));
    }
};

struct TextsKind {
    static void read(ObjectReader& object, std::string_view name, std::vector<std::string>& into) {
        object.read_texts(name, into);
    }
    static Node schema(const std::vector<std::string>& value) {
        std::vector<Node> items;
        items.reserve(value.size());
        for (const std::string& text : value) {
            items.push_back(text_node(text));
        }
        Node schema = list_schema(text_schema());
        return value.empty() ? schema
                             : with_default(std::move(schema), list_node(std::move(items)));
    }
};

template <bool MayBeZero>
struct DurationKind {
    static constexpr Range<Duration> kRange = MayBeZero ? kAnyDuration : kPositiveDuration;

    static void read(ObjectReader& object, std::string_view name, Duration& into) {
        object.read_duration(name, into, kRange);
    }
    static std::string text(Duration value) { return duration_text(value); }
    static Node schema(Duration value) {
        return with_default(duration_schema(kRange), text_node(duration_text(value)));
    }
};
using PositiveDuration = DurationKind<false>;
using AnyDuration = DurationKind<true>;

/// How long a call may wait in a queue: a duration, or `"deadline"`, which is nothing.
struct QueueWaitKind {
    static void read(ObjectReader& object, std::string_view name, std::optional<Duration>& into);
    static std::string text(const std::optional<Duration>& value) {
        return value ? duration_text(*value) : "deadline";
    }
    static Node schema(const std::optional<Duration>& value);
};

template <std::size_t Min, std::size_t Max>
struct SizeKind {
    static constexpr Range<std::size_t> kRange = {.min = Min, .max = Max};

    static void read(ObjectReader& object, std::string_view name, std::size_t& into) {
        object.read_bytes(name, into, kRange);
    }
    static Node schema(std::size_t value) {
        return with_default(size_schema(kRange), text_node(byte_size_text(value)));
    }
};

template <std::size_t Min, std::size_t Max>
struct CountKind {
    template <class Count>
    static void read(ObjectReader& object, std::string_view name, Count& into) {
        std::size_t count = into;
        object.read_count(name, count, {.min = Min, .max = Max});
        into = static_cast<Count>(count);
    }
    static std::string text(std::size_t value) { return std::to_string(value); }
    static Node schema(std::size_t value) {
        return with_default(whole_number_schema(static_cast<double>(Min), static_cast<double>(Max)),
                            number_node(static_cast<double>(value)));
    }
};

/// Ends in thousandths, since a template takes no fractions from every compiler.
template <int MinThousandths, int MaxThousandths>
struct NumberKind {
    static constexpr Range<double> kRange = {.min = MinThousandths / 1e3,
                                             .max = MaxThousandths / 1e3};

    static void read(ObjectReader& object, std::string_view name, double& into) {
        object.read_number(name, into, kRange);
    }
    static std::string text(double value) { return base::number_text(value); }
    static Node schema(double value) {
        return with_default(number_schema(kRange.min, kRange.max), number_node(value));
    }
};
/// A share of something.
using ShareKind = NumberKind<0, 1'000>;

/// The names of an enumeration's values in a config: a specialisation has `kAll`, an array of
/// `NamedChoice`.
template <class Choice>
struct Choices;

template <class Choice>
[[nodiscard]] Node schema_of_choices() {
    std::vector<std::string_view> names;
    names.reserve(Choices<Choice>::kAll.size());
    for (const auto& choice : Choices<Choice>::kAll) {
        names.push_back(choice.name);
    }
    return choice_schema(names);
}

template <class Choice>
struct ChoiceKind {
    static void read(ObjectReader& object, std::string_view name, Choice& into) {
        into = object.read_choice<Choice>(name, Choices<Choice>::kAll).value_or(into);
    }
    static void read(ObjectReader& object, std::string_view name, std::optional<Choice>& into) {
        into = object.read_choice<Choice>(name, Choices<Choice>::kAll);
    }
    static std::string text(Choice value) {
        for (const auto& choice : Choices<Choice>::kAll) {
            if (choice.choice == value) {
                return std::string{choice.name};
            }
        }
        return {};
    }
    static Node schema(Choice value) {
        return with_default(schema_of_choices<Choice>(), text_node(text(value)));
    }
    static Node schema(const std::optional<Choice>& value) {
        return value ? schema(*value) : schema_of_choices<Choice>();
    }
};

}  // namespace holdfast::config
