#include "policy/error_text.hpp"

#include <algorithm>
#include <array>
#include <cstddef>

namespace holdfast::policy {
namespace {

char lower(char one) noexcept {
    return one >= 'A' && one <= 'Z' ? static_cast<char>(one - 'A' + 'a') : one;
}

std::string lowered(std::string_view text) {
    std::string result{text};
    std::ranges::transform(result, result.begin(), lower);
    return result;
}

bool is_digit(char one) noexcept {
    return one >= '0' && one <= '9';
}

/// Requires lower case.
bool is_word_character(char one) noexcept {
    return (one >= 'a' && one <= 'z') || is_digit(one) || one == '_';
}

void skip(std::string_view& text, std::string_view words) {
    if (text.starts_with(words)) {
        text.remove_prefix(words.size());
    }
}

void skip_any_of(std::string_view& text, std::string_view characters) {
    text.remove_prefix(std::min(text.find_first_not_of(characters), text.size()));
}

/// Reads the status from the text after its mark.
std::optional<int> status_behind_mark(std::string_view text, TextForm form) {
    constexpr std::string_view kBetween = " \t:=_-'([\"";
    // In JSON, a quote closes the key that contains the mark.
    const std::string_view between =
        form == TextForm::json ? kBetween.substr(0, kBetween.size() - 1) : kBetween;
    for (const std::string_view version : {"/1.0", "/1.1", "/2", "/3"}) {
        skip(text, version);
    }
    skip_any_of(text, between);
    for (const std::string_view filler : {"error", "status", "code"}) {
        skip(text, filler);
        skip_any_of(text, between);
    }
    const bool is_longer = text.size() > 3 && is_word_character(text[3]);
    return is_longer ? std::nullopt : status_of_digits(text.substr(0, 3));
}

}  // namespace

ErrorText::ErrorText(std::string_view text) : lowered_(lowered(text)) {}

bool ErrorText::has(std::string_view words) const {
    return lowered_.find(lowered(words)) != std::string::npos;
}

bool ErrorText::has_whole_word(std::string_view word) const {
    const std::string wanted = lowered(word);
    for (std::size_t at = lowered_.find(wanted); at != std::string::npos;
         at = lowered_.find(wanted, at + 1)) {
        const std::size_t end = at + wanted.size();
        const bool begins = at == 0 || !is_word_character(lowered_[at - 1]);
        if (begins && (end == lowered_.size() || !is_word_character(lowered_[end]))) {
            return true;
        }
    }
    return false;
}

std::optional<int> status_in(std::string_view text, TextForm form) {
    constexpr std::array<std::string_view, 2> kMarks = {"http", "status"};
    const std::string searched = lowered(text);
    std::size_t nearest = std::string::npos;
    std::optional<int> result;
    for (const std::string_view mark : kMarks) {
        for (std::size_t at = searched.find(mark); at < nearest; at = searched.find(mark, at + 1)) {
            const std::string_view behind = std::string_view{searched}.substr(at + mark.size());
            if (const auto status = status_behind_mark(behind, form)) {
                nearest = at;
                result = status;
            }
        }
    }
    return result;
}

std::optional<int> status_of_digits(std::string_view text) noexcept {
    const bool is_number = text.size() == 3 && std::ranges::all_of(text, is_digit);
    if (!is_number || (text[0] != '4' && text[0] != '5')) {
        return std::nullopt;
    }
    return (text[0] - '0') * 100 + (text[1] - '0') * 10 + (text[2] - '0');
}

}  // namespace holdfast::policy
