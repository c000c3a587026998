#include "search/encoder/word_piece.hpp"

#include <algorithm>

#include "search/words/unicode.hpp"

namespace holdfast::search::encoder {
namespace {

constexpr TokenId kUnknown = 100;
constexpr TokenId kStart = 101;
constexpr TokenId kEnd = 102;
constexpr std::size_t kMaxWordCharacters = 100;

/// Calls `add` for each word until it returns false.
template <class Add>
void for_each_word(std::string_view text, const Add& add) {
    std::u32string word;
    std::u32string folded;
    const auto finish = [&word, &add] {
        const bool continues = word.empty() || add(word);
        word.clear();
        return continues;
    };
    std::size_t position = 0;
    while (position < text.size()) {
        const std::int32_t code_point = next_code_point(text, position);
        const CharacterKind kind = kind_of(code_point);
        if (kind == CharacterKind::ignored) {
            continue;
        }
        if (kind == CharacterKind::space) {
            if (!finish()) {
                return;
            }
            continue;
        }
        folded.clear();
        append_folded(code_point, folded);
        for (const char32_t part : folded) {
            const CharacterKind part_kind = kind_of(static_cast<std::int32_t>(part));
            const bool stands_alone =
                part_kind == CharacterKind::punctuation || part_kind == CharacterKind::ideograph;
            if (stands_alone && !finish()) {
                return;
            }
            // One extra character is enough to know that the word is too long.
            if (word.size() <= kMaxWordCharacters) {
                word += part;
            }
            if (stands_alone && !finish()) {
                return;
            }
        }
    }
    finish();
}

}  // namespace

WordPiece::WordPiece(const ModelView& model) : max_tokens_(model.header.max_tokens) {
    ids_.reserve(model.token_ends.size());
    std::size_t start = 0;
    for (TokenId id = 0; id < model.token_ends.size(); ++id) {
        const std::size_t end = model.token_ends[id];
        ids_.emplace(model.token_texts.substr(start, end - start), id);
        longest_text_bytes_ = std::max(longest_text_bytes_, end - start);
        start = end;
    }
}

std::vector<TokenId> WordPiece::tokens(std::string_view text) const {
    std::vector<TokenId> tokens = {kStart};
    for_each_word(text, [this, &tokens](const std::u32string& word) {
        add_word(word, tokens);
        return tokens.size() + 1 < max_tokens_;
    });
    tokens.resize(std::min(tokens.size(), max_tokens_ - 1));
    tokens.push_back(kEnd);
    return tokens;
}

void WordPiece::add_word(const std::u32string& word, std::vector<TokenId>& tokens) const {
    const std::size_t count_before = tokens.size();
    std::size_t start = word.size() > kMaxWordCharacters ? word.size() : 0;
    bool is_known = start == 0;
    while (is_known && start < word.size()) {
        // Finds the longest piece by removing characters from the end.
        std::string piece = start == 0 ? "" : "##";
        std::vector<std::size_t> sizes;
        for (std::size_t end = start; end < word.size() && piece.size() < longest_text_bytes_;
             ++end) {
            append_utf8(word[end], piece);
            sizes.push_back(piece.size());
        }
        is_known = false;
        while (!sizes.empty() && !is_known) {
            piece.resize(sizes.back());
            if (const auto found = ids_.find(piece); found != ids_.end()) {
                tokens.push_back(found->second);
                start += sizes.size();
                is_known = true;
            }
            sizes.pop_back();
        }
    }
    if (!is_known) {
        tokens.resize(count_before);
        tokens.push_back(kUnknown);
    }
}

}  // namespace holdfast::search::encoder
