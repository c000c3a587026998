#include "search/term_reader.hpp"

#include <libstemmer.h>

#include <algorithm>
#include <cstdint>
#include <utility>

#include "holdfast/resilience/expect.hpp"
#include "search/words/stop_words.hpp"
#include "search/words/unicode.hpp"

namespace holdfast::search {
namespace {

bool is_small(std::int32_t code_point) {
    return 'a' <= code_point && code_point <= 'z';
}

bool is_capital(std::int32_t code_point) {
    return 'A' <= code_point && code_point <= 'Z';
}

bool is_digit(std::int32_t code_point) {
    return '0' <= code_point && code_point <= '9';
}

/// Splits a text into words, at most `max_words`. Three letters decide where an identifier is
/// split: `fooBar` before the B, `HTTPServer` before the S.
class WordCutter {
public:
    explicit WordCutter(const TextLimits& limits) : limits_(limits) {}

    std::vector<std::string> words(std::string_view text) {
        text = text.substr(0, limits_.max_bytes);
        std::int32_t previous = ' ';
        std::size_t position = 0;
        while (position < text.size() && words_.size() < limits_.max_terms) {
            const std::int32_t current = next_code_point(text, position);
            const bool has_small_next = position < text.size() && is_small(text[position]);
            if (is_capital(current) && (is_small(previous) || is_digit(previous) ||
                                        (is_capital(previous) && has_small_next))) {
                finish_word();
            }
            add(current);
            previous = current;
        }
        finish_word();
        return std::move(words_);
    }

private:
    void add(std::int32_t code_point) {
        const CharacterKind kind = kind_of(code_point);
        if (kind != CharacterKind::word) {
            finish_word();
        }
        if (kind != CharacterKind::word && kind != CharacterKind::ideograph) {
            return;
        }
        folded_.clear();
        append_folded(code_point, folded_);
        for (const char32_t part : folded_) {
            if (word_.size() < limits_.max_term_bytes) {
                append_utf8(part, word_);
            }
        }
        if (kind == CharacterKind::ideograph) {
            finish_word();
        }
    }

    void finish_word() {
        if (!word_.empty() && words_.size() < limits_.max_terms) {
            words_.push_back(word_);
        }
        word_.clear();
    }

    const TextLimits limits_;
    std::vector<std::string> words_;
    std::string word_;
    std::u32string folded_;
};

}  // namespace

TermReader::TermReader() : stemmer_(sb_stemmer_new("english", "UTF_8")) {
    HOLDFAST_EXPECT(stemmer_ != nullptr);
}

TermReader::~TermReader() = default;

void TermReader::StemmerDeleter::operator()(sb_stemmer* stemmer) const noexcept {
    sb_stemmer_delete(stemmer);
}

std::vector<std::string> TermReader::terms(std::string_view text, const TextLimits& limits) {
    std::vector<std::string> terms = WordCutter{limits}.words(text);
    std::erase_if(terms, [](const std::string& word) { return is_stop_word(word); });
    for (std::string& term : terms) {
        term = stem(term);
    }
    return terms;
}

std::string TermReader::stem(const std::string& word) {
    const auto* bytes = reinterpret_cast<const sb_symbol*>(word.data());
    const sb_symbol* stemmed =
        sb_stemmer_stem(stemmer_.get(), bytes, static_cast<int>(word.size()));
    HOLDFAST_EXPECT(stemmed != nullptr);
    return {reinterpret_cast<const char*>(stemmed),
            static_cast<std::size_t>(sb_stemmer_length(stemmer_.get()))};
}

}  // namespace holdfast::search
