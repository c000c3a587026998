#include "config/interpolation.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "base/blanks.hpp"
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

/// Advice about variables that only editors fill in.
std::string_view editor_variable_advice(std::string_view name) noexcept {
    struct Advice {
        std::string_view name;
        std::string_view text;
    };
    constexpr std::array<Advice, 4> kAdvice = {{
        {.name = "workspaceFolder",
         .text = "it is known only to an editor; write the path instead"},
        {.name = "workspaceFolderBasename",
         .text = "it is known only to an editor; write the name instead"},
        {.name = "userHome", .text = "it is known only to an editor; write ${HOME} instead"},
        {.name = "pathSeparator", .text = "it is known only to an editor; write / instead"},
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
    "${input:...} works only in an editor; set an environment variable and write ${NAME}";
constexpr std::string_view kTooDeep =
    "references in defaults are nested more than 3 deep; remove the innermost ones";

constexpr std::size_t kMaxNesting = 3;

/// Where a reference ends, given what follows its `${`.
struct ReferenceEnd {
    std::size_t close = std::string_view::npos;  ///< Of its `}`.
    std::size_t nesting = 1;  ///< How deep references are in it, itself included.
};

bool is_reference_start(std::string_view text, std::size_t at) noexcept {
    return text.substr(at).starts_with(kOpen) && (at == 0 || text[at - 1] != '$');
}

ReferenceEnd end_of_reference(std::string_view rest) noexcept {
    ReferenceEnd end;
    std::size_t open = 1;
    for (std::size_t at = 0; at < rest.size(); ++at) {
        if (is_reference_start(rest, at)) {
            end.nesting = std::max(end.nesting, ++open);
        } else if (rest[at] == '}' && --open == 0) {
            end.close = at;
            break;
        }
    }
    return end;
}

/// The parts of a reference, between the braces.
struct Reference {
    std::string_view name;
    std::optional<std::string_view> fallback;
};

Reference parsed_reference(std::string_view text) noexcept {
    constexpr std::string_view kEnvironmentPrefix = "env:";
    constexpr std::string_view kDefaultMark = ":-";
    if (text.starts_with(kEnvironmentPrefix)) {
        text.remove_prefix(kEnvironmentPrefix.size());
    }
    const std::size_t mark = text.find(kDefaultMark);
    Reference reference{.name = text.substr(0, mark), .fallback = std::nullopt};
    if (mark != std::string_view::npos) {
        reference.fallback = text.substr(mark + kDefaultMark.size());
    }
    return reference;
}

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
    Expansion expansion = expanded(text.written, {.place = text.place, .path = path}, 0);
    text.text = std::move(expansion.text);
    text.variable = std::move(expansion.variable);
    text.is_secret = expansion.is_secret;
    text.is_unresolved = expansion.is_unresolved;
    bytes_left_ -= std::min(bytes_left_, text.text.size());
}

Interpolator::Expansion Interpolator::expanded(std::string_view text, const Site& site,
                                               std::size_t depth) {
    Expansion result;
    std::string_view rest = text;
    for (std::size_t open = rest.find(kOpen); open != std::string_view::npos;
         open = rest.find(kOpen)) {
        if (open > 0 && rest[open - 1] == '$') {
            result.text.append(rest.substr(0, open - 1)).append(kOpen);
            rest.remove_prefix(open + kOpen.size());
            continue;
        }
        result.text.append(rest.substr(0, open));
        rest.remove_prefix(open + kOpen.size());
        const ReferenceEnd end = end_of_reference(rest);
        const std::size_t close = std::min(end.close, rest.size());
        const bool is_whole = close + kOpen.size() + 1 == text.size();
        Expansion value;
        if (depth + end.nesting > kMaxNesting) {
            value = refused(site, kTooDeep);
        } else {
            value = resolved(end.close < rest.size() ? rest.substr(0, close) : std::string_view{},
                             site, depth, is_whole);
        }
        result.text += value.text;
        result.is_secret = result.is_secret || value.is_secret;
        result.is_unresolved = result.is_unresolved || value.is_unresolved;
        if (is_whole) {
            result.variable = std::move(value.variable);
        }
        rest.remove_prefix(std::min(close + 1, rest.size()));
        if (result.text.size() > bytes_left_) {
            report_.refuse(site.place,
                           site.path + ": the texts are too long with their variables filled in",
                           FaultCause::external);
            result.is_unresolved = true;
            break;
        }
    }
    result.text.append(rest);
    return result;
}

Interpolator::Expansion Interpolator::resolved(std::string_view text, const Site& site,
                                               std::size_t depth, bool is_whole) {
    if (text.starts_with("input:")) {
        return refused(site, kInputReference);
    }
    const Reference reference = parsed_reference(text);
    if (!is_variable_name(reference.name)) {
        return refused(site, kBadReference);
    }
    const auto value = environment_(reference.name);
    const bool is_set = value && !(is_whole ? base::without_blanks(*value) : *value).empty();
    Expansion result;
    if (is_set || (value && !reference.fallback)) {
        result = {.text = *value, .variable = std::string{reference.name}};
    } else if (reference.fallback) {
        result = expanded(*reference.fallback, site, depth + 1);
    } else {
        return refused(site, unset_message(reference.name));
    }
    if (base::is_secret_name(reference.name)) {
        secrets_.add(result.text);
        result.is_secret = true;
    }
    if (depth == 0 && !result.variable.empty() && result.variable != reference.name) {
        note_second_choice(result.variable, reference.name);
    }
    return result;
}

Interpolator::Expansion Interpolator::refused(const Site& site, std::string_view message) {
    report_.refuse(site.place, site.path + ": " + std::string{message}, FaultCause::external);
    return {.is_unresolved = true};
}

void Interpolator::note_second_choice(std::string_view used, std::string_view first) {
    SecondChoice choice{.used = std::string{used}, .first = std::string{first}};
    if (std::ranges::find(second_choices_, choice) == second_choices_.end()) {
        second_choices_.push_back(std::move(choice));
    }
}

}  // namespace holdfast::config
