#include "policy/detail/error_text.hpp"

#include <algorithm>
#include <array>
#include <cstddef>

namespace holdfast::policy::detail {
namespace {

char lower(char one) noexcept {
    return one >= 'A' && one <= 'Z' ? static_cast<char>(one - 'A' + 'a') : one;
}

bool is_digit(char one) noexcept {
    return one >= '0' && one <= '9';
}

bool is_word_character(char one) noexcept {
    const char small = lower(one);
    return (small >= 'a' && small <= 'z') || is_digit(one) || one == '_';
}

bool is_same_letter(char left, char right) noexcept {
    return lower(left) == lower(right);
}

/// The offset of `words` at or behind `from`; npos when there is none.
std::size_t found_at(std::string_view text, std::string_view words, std::size_t from = 0) {
    const auto found = std::search(text.begin() + static_cast<std::ptrdiff_t>(from), text.end(),
                                   words.begin(), words.end(), is_same_letter);
    return found == text.end() ? std::string_view::npos
                               : static_cast<std::size_t>(found - text.begin());
}

void skip(std::string_view& text, std::string_view words) {
    if (text.size() >= words.size() &&
        std::ranges::equal(text.substr(0, words.size()), words, is_same_letter)) {
        text.remove_prefix(words.size());
    }
}

void skip_any_of(std::string_view& text, std::string_view characters) {
    text.remove_prefix(std::min(text.find_first_not_of(characters), text.size()));
}

/// The status at the front of what follows its mark.
std::optional<int> status_behind_mark(std::string_view text) {
    constexpr std::string_view kBetween = " \t:=_-\"'([";
    for (const std::string_view version : {"/1.0", "/1.1", "/2", "/3"}) {
        skip(text, version);
    }
    skip_any_of(text, kBetween);
    for (const std::string_view filler : {"error", "status", "code"}) {
        skip(text, filler);
        skip_any_of(text, kBetween);
    }
    const bool is_number = text.size() >= 3 && std::ranges::all_of(text.substr(0, 3), is_digit) &&
                           (text.size() == 3 || !is_word_character(text[3]));
    if (!is_number || (text[0] != '4' && text[0] != '5')) {
        return std::nullopt;
    }
    return (text[0] - '0') * 100 + (text[1] - '0') * 10 + (text[2] - '0');
}

}  // namespace

bool has_words(std::string_view text, std::string_view words) {
    return found_at(text, words) != std::string_view::npos;
}

bool has_whole_word(std::string_view text, std::string_view word) {
    for (std::size_t at = found_at(text, word); at != std::string_view::npos;
         at = found_at(text, word, at + 1)) {
        const std::size_t end = at + word.size();
        const bool begins = at == 0 || !is_word_character(text[at - 1]);
        if (begins && (end == text.size() || !is_word_character(text[end]))) {
            return true;
        }
    }
    return false;
}

std::optional<int> status_in(std::string_view text) {
    constexpr std::array<std::string_view, 2> kMarks = {"http", "status"};
    std::size_t nearest = std::string_view::npos;
    std::optional<int> result;
    for (const std::string_view mark : kMarks) {
        for (std::size_t at = found_at(text, mark); at < nearest;
             at = found_at(text, mark, at + 1)) {
            if (const auto status = status_behind_mark(text.substr(at + mark.size()))) {
                nearest = at;
                result = status;
            }
        }
    }
    return result;
}

}  // namespace holdfast::policy::detail
