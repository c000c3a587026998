#include "search/tool_document.hpp"

#include <algorithm>

#include "base/text_cut.hpp"

namespace holdfast::search {
namespace {

bool is_small_or_digit(char letter) {
    return ('a' <= letter && letter <= 'z') || ('0' <= letter && letter <= '9');
}

bool is_capital(char letter) {
    return 'A' <= letter && letter <= 'Z';
}

}  // namespace

std::string words_of_identifier(std::string_view identifier) {
    constexpr std::string_view kSeparators = "_-./:#|";
    std::string words;
    words.reserve(identifier.size() + 8);
    for (std::size_t index = 0; index < identifier.size(); ++index) {
        const char letter = identifier[index];
        const char previous = index > 0 ? identifier[index - 1] : ' ';
        const char next = index + 1 < identifier.size() ? identifier[index + 1] : ' ';
        const bool is_new_word =
            is_capital(letter) &&
            (is_small_or_digit(previous) || (is_capital(previous) && 'a' <= next && next <= 'z'));
        if (is_new_word) {
            words += ' ';
        }
        words += (kSeparators.find(letter) != std::string_view::npos) ? ' ' : letter;
    }
    return words;
}

std::string embedding_text(const ToolDocument& tool, std::size_t max_bytes) {
    std::string text = words_of_identifier(base::beginning_of(tool.server, max_bytes));
    text += text.empty() ? "" : " ";
    text += words_of_identifier(base::beginning_of(tool.name, max_bytes));
    text += ": ";
    text += base::beginning_of(tool.description, max_bytes - std::min(max_bytes, text.size()));
    return text;
}

}  // namespace holdfast::search
