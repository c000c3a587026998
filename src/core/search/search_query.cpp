#include "search/search_query.hpp"

#include <algorithm>

#include "base/blanks.hpp"

namespace holdfast::search {
namespace {

/// Returns the end of the first sentence: a full stop, question mark or exclamation mark followed
/// by a blank, or the end of a line.
std::size_t sentence_end(std::string_view text) {
    for (std::size_t index = 0; index + 1 < text.size(); ++index) {
        const bool is_mark = text[index] == '.' || text[index] == '?' || text[index] == '!';
        if (text[index] == '\n' || (is_mark && base::is_blank(text[index + 1]))) {
            return index + 1;
        }
    }
    return text.size();
}

std::vector<std::string_view> sentences_of(std::string_view text, std::size_t max_count) {
    std::vector<std::string_view> sentences;
    while (!text.empty() && sentences.size() < max_count) {
        const std::size_t end = sentence_end(text);
        if (const std::string_view sentence = base::without_blanks(text.substr(0, end));
            !sentence.empty()) {
            sentences.push_back(sentence);
        }
        text.remove_prefix(end);
    }
    return sentences;
}

std::vector<QueryTerm> terms_of(std::string_view text, TermReader& reader,
                                const TextLimits& limits) {
    const std::vector<std::string> words = reader.terms(text, limits);
    std::vector<TermId> ids;
    ids.reserve(words.size());
    for (const std::string& word : words) {
        ids.push_back(term_id(word));
    }
    std::ranges::sort(ids);
    std::vector<QueryTerm> terms;
    terms.reserve(ids.size());
    for (const TermId id : ids) {
        if (!terms.empty() && terms.back().term == id) {
            terms.back().count += 1.0F;
        } else {
            terms.push_back({.term = id});
        }
    }
    return terms;
}

}  // namespace

SearchQuery read_query(std::string_view text, const QueryLimits& limits) {
    const std::string_view whole = base::without_blanks(text.substr(0, limits.text.max_bytes));
    SearchQuery query;
    if (whole.empty()) {
        return query;
    }
    TermReader reader;
    const auto add = [&](std::string_view passage) {
        query.passages.push_back(
            {.text = std::string{passage}, .terms = terms_of(passage, reader, limits.text)});
    };
    add(whole);
    const std::vector<std::string_view> sentences = sentences_of(whole, limits.max_sentences);
    if (sentences.size() > 1) {
        std::ranges::for_each(sentences, add);
    }
    return query;
}

}  // namespace holdfast::search
