#include "config/interpolation.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "base/secret.hpp"

namespace holdfast::config {
namespace {

constexpr std::string_view kOpen = "${";

bool is_variable_name(std::string_view name) noexcept {
    const auto is_letter = [](char one) {
        return (one >= 'a' && one <= 'z') || (one >= 'A' && one <= 'Z') || one == '_';
    };
    return !name.empty() && name.size() <= 128 && is_letter(name.front()) &&
           std::ranges::all_of(
               name, [&](char one) { return is_letter(one) || (one >= '0' && one <= '9'); });
}

/// What to do about variables that editors fill in themselves and that are no environment.
std::string_view editor_variable_advice(std::string_view name) noexcept {
    struct Advice {
        std::string_view name;
        std::string_view text;
    };
    constexpr std::array<Advice, 4> kAdvice = {{
        {.name = "workspaceFolder", .text = "only an editor knows it; write the path instead"},
        {.name = "workspaceFolderBasename",
         .text = "only an editor knows it; write the name instead"},
        {.name = "userHome", .text = "only an editor knows it; write ${HOME} instead"},
        {.name = "pathSeparator", .text = "only an editor knows it; write / instead"},
    }};
    const auto found = std::ranges::find(kAdvice, name, &Advice::name);
    return found == kAdvice.end() ? std::string_view{} : found->text;
}

std::string unset_message(std::string_view name) {
    const std::string subject = "the variable " + std::string{name} + " is not set; ";
    const std::string_view advice = editor_variable_advice(name);
    if (!advice.empty()) {
        return subject + std::string{advice};
    }
    return subject + "set it, or give it a default: ${" + std::string{name} + ":-default}";
}

constexpr std::string_view kBadReference =
    "\"${\" is not followed by a variable's name and \"}\"; write ${NAME} or ${NAME:-default}, and "
    "$${ for the characters themselves";
constexpr std::string_view kInputReference =
    "${input:...} is asked for by an editor and not here; set an environment variable and write "
    "${NAME}";
constexpr std::string_view kNestedDefault =
    "the default of a variable cannot have a variable in it; write it out";

}  // namespace

Interpolator::Interpolator(Environment environment, FaultReport& report, SecretList& secrets,
                           const InterpolationLimits& limits)
    : environment_(std::move(environment)),
      report_(report),
      secrets_(secrets),
      bytes_left_(limits.max_expanded_bytes) {}

void Interpolator::expand(Node& value, const std::string& path) {
    if (value.kind == NodeKind::text) {
        expand_text(value, path);
    }
    for (std::size_t index = 0; index < value.items.size(); ++index) {
        expand(value.items[index], path + '[' + std::to_string(index) + ']');
    }
    for (Member& member : value.members) {
        expand(member.value, key_path(path, member.key));
    }
}

void Interpolator::expand_text(Node& text, const std::string& path) {
    // A text is expanded once: the value of a variable may look like a reference.
    if (!text.written.empty() || text.text.find(kOpen) == std::string::npos) {
        return;
    }
    text.written = std::exchange(text.text, {});
    std::string_view rest = text.written;
    for (std::size_t open = rest.find(kOpen); open != std::string_view::npos;
         open = rest.find(kOpen)) {
        if (open > 0 && rest[open - 1] == '$') {
            text.text.append(rest.substr(0, open - 1)).append(kOpen);
            rest.remove_prefix(open + kOpen.size());
            continue;
        }
        text.text.append(rest.substr(0, open));
        rest.remove_prefix(open + kOpen.size());
        const std::size_t close = std::min(rest.find('}'), rest.size());
        const auto value = close < rest.size() ? resolved(rest.substr(0, close), text.place, path)
                                               : resolved({}, text.place, path);
        text.is_unresolved = text.is_unresolved || !value;
        text.text += value.value_or("");
        rest.remove_prefix(std::min(close + 1, rest.size()));
        if (text.text.size() > bytes_left_) {
            report_.refuse(text.place, path + ": with their variables the texts are too long");
            text.is_unresolved = true;
            break;
        }
    }
    text.text.append(rest);
    bytes_left_ -= std::min(bytes_left_, text.text.size());
}

std::optional<std::string> Interpolator::resolved(std::string_view reference, Place place,
                                                  const std::string& path) {
    constexpr std::string_view kEnvironmentPrefix = "env:";
    constexpr std::string_view kDefaultMark = ":-";
    const auto refuse = [&](std::string_view message) {
        report_.refuse(place, path + ": " + std::string{message});
        return std::nullopt;
    };
    if (reference.starts_with("input:")) {
        return refuse(kInputReference);
    }
    if (reference.starts_with(kEnvironmentPrefix)) {
        reference.remove_prefix(kEnvironmentPrefix.size());
    }
    const std::size_t mark = reference.find(kDefaultMark);
    const std::string_view name = reference.substr(0, mark);
    std::optional<std::string_view> fallback;
    if (mark != std::string_view::npos) {
        fallback = reference.substr(mark + kDefaultMark.size());
    }
    if (!is_variable_name(name)) {
        return refuse(kBadReference);
    }
    if (fallback && fallback->find(kOpen) != std::string_view::npos) {
        return refuse(kNestedDefault);
    }
    auto value = looked_up(name, fallback);
    return value ? std::move(value) : refuse(unset_message(name));
}

std::optional<std::string> Interpolator::looked_up(std::string_view name,
                                                   std::optional<std::string_view> fallback) {
    auto value = environment_(name);
    if (fallback && (!value || value->empty())) {
        value = std::string{*fallback};
    }
    if (value && base::is_secret_name(name)) {
        secrets_.add(*value);
    }
    return value;
}

}  // namespace holdfast::config
