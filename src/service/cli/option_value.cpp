#include "cli/option_value.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <string_view>
#include <system_error>

#include "base/number_text.hpp"
#include "config/quantity.hpp"

namespace holdfast::cli {
namespace {

constexpr bool has_range(const CommandOption& option) {
    return option.max > option.min;
}

bool is_in_range(const CommandOption& option, double number) {
    return !has_range(option) || (number >= option.min && number <= option.max);
}

template <class Number>
std::optional<Number> whole_number(std::string_view text) {
    Number number = 0;
    const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
    const bool is_whole = read.ec == std::errc{} && read.ptr == text.data() + text.size();
    return is_whole ? std::optional{number} : std::nullopt;
}

/// Whether a text is a value of the target's type, within the range of the option.
struct TypeCheck {
    const CommandOption& option;
    const std::string& text;

    bool operator()(std::size_t* /*target*/) const { return fits<std::size_t>(); }
    bool operator()(std::int64_t* /*target*/) const { return fits<std::int64_t>(); }
    bool operator()(double* /*target*/) const {
        const auto number = config::parsed_number(text);
        return number && is_in_range(option, *number);
    }
    bool operator()(resilience::Duration* /*target*/) const {
        return config::parsed_duration(text).has_value();
    }
    template <class Target>
    bool operator()(const Target& /*target*/) const {
        return true;
    }

private:
    template <class Number>
    [[nodiscard]] bool fits() const {
        const auto number = whole_number<Number>(text);
        return number && is_in_range(option, static_cast<double>(*number));
    }
};

struct ValueSetter {
    const std::string& text;

    void operator()(bool* target) const { *target = true; }
    void operator()(std::string* target) const { *target = text; }
    void operator()(std::vector<std::string>* target) const { target->push_back(text); }
    void operator()(std::size_t* target) const {
        *target = whole_number<std::size_t>(text).value_or(*target);
    }
    void operator()(std::int64_t* target) const {
        *target = whole_number<std::int64_t>(text).value_or(*target);
    }
    void operator()(double* target) const {
        *target = config::parsed_number(text).value_or(*target);
    }
    void operator()(resilience::Duration* target) const {
        *target = config::parsed_duration(text).value_or(*target);
    }
    void operator()(const std::function<void(const std::string&)>& target) const { target(text); }
};

template <class Target>
bool has_target(const CommandOption& option) {
    return std::holds_alternative<Target*>(option.target);
}

bool is_whole(const CommandOption& option) {
    return has_target<std::size_t>(option) || has_target<std::int64_t>(option);
}

/// "a, b or c"
std::string list_of(const std::vector<std::string>& choices) {
    std::string list;
    for (const std::string& choice : choices) {
        const bool is_last = &choice == &choices.back();
        list += (list.empty() ? "" : is_last ? " or " : ", ") + choice;
    }
    return list;
}

}  // namespace

bool is_valid_value(const CommandOption& option, const std::string& text) {
    if (!option.choices.empty()) {
        return std::ranges::find(option.choices, text) != option.choices.end();
    }
    return std::visit(TypeCheck{option, text}, option.target) &&
           (!option.accepts || option.accepts(text));
}

void set_value(const CommandOption& option, const std::string& text) {
    std::visit(ValueSetter{text}, option.target);
}

std::string expected_value(const CommandOption& option) {
    if (!option.choices.empty()) {
        return list_of(option.choices);
    }
    if (has_target<resilience::Duration>(option)) {
        return "a duration such as 500ms, 30s or 2m";
    }
    if (is_whole(option) || has_target<double>(option)) {
        const std::string_view kind = is_whole(option) ? "a whole number" : "a number";
        return has_range(option)
                   ? fmt::format("{} from {} to {}", kind, base::number_text(option.min),
                                 base::number_text(option.max))
                   : std::string{kind};
    }
    return option.expected;
}

std::string value_name(const CommandOption& option) {
    if (!option.choices.empty()) {
        return fmt::format("{}", fmt::join(option.choices, "|"));
    }
    if (has_target<resilience::Duration>(option)) {
        return "TIME";
    }
    if (is_whole(option) || has_target<double>(option)) {
        return has_range(option)
                   ? base::number_text(option.min) + ".." + base::number_text(option.max)
                   : "N";
    }
    return "TEXT";
}

}  // namespace holdfast::cli
