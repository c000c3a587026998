#include "policy/text_template.hpp"

#include <algorithm>

namespace holdfast::policy {
namespace {

bool is_letter(char one) noexcept {
    return (one >= 'a' && one <= 'z') || (one >= 'A' && one <= 'Z');
}

/// Returns the name of the placeholder at the front of the text; empty if there is none.
std::string_view name_at_front(std::string_view text) {
    const std::size_t close = text.find('}');
    if (close == std::string_view::npos) {
        return {};
    }
    const std::string_view name = text.substr(1, close - 1);
    return std::ranges::all_of(name, is_letter) ? name : std::string_view{};
}

bool is_placeholder(std::string_view name) {
    return std::ranges::find(kPlaceholders, name) != kPlaceholders.end();
}

}  // namespace

std::string filled(std::string_view text, std::span<const TemplateValue> values) {
    std::string result;
    while (!text.empty()) {
        const std::size_t open = std::min(text.find('{'), text.size());
        result.append(text.substr(0, open));
        text.remove_prefix(open);
        if (text.empty()) {
            break;
        }
        const std::string_view name = name_at_front(text);
        if (!is_placeholder(name)) {
            result += text.front();
            text.remove_prefix(1);
            continue;
        }
        const auto found = std::ranges::find(values, name, &TemplateValue::name);
        std::string_view value = found == values.end() ? std::string_view{} : found->value;
        text.remove_prefix(name.size() + 2);
        // Avoids two full stops if the value and the sentence around it end at the same position.
        if (text.starts_with('.') && value.ends_with('.')) {
            value.remove_suffix(1);
        }
        result.append(value);
    }
    result.erase(result.find_last_not_of(' ') + 1);
    return result;
}

std::optional<std::string_view> unknown_placeholder(std::string_view text) {
    for (std::size_t open = text.find('{'); open != std::string_view::npos;
         open = text.find('{', open + 1)) {
        const std::string_view name = name_at_front(text.substr(open));
        if (!name.empty() && !is_placeholder(name)) {
            return name;
        }
    }
    return std::nullopt;
}

}  // namespace holdfast::policy
