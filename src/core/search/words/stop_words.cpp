#include "search/words/stop_words.hpp"

#include <algorithm>
#include <array>

namespace holdfast::search {
namespace {

constexpr std::array<std::string_view, 98> kStopWords = {
    "a",      "about", "also",  "am",   "an",    "and",   "any",    "are",   "as",    "at",
    "be",     "been",  "being", "by",   "can",   "could", "d",      "did",   "do",    "does",
    "don",    "for",   "from",  "get",  "give",  "had",   "has",    "have",  "he",    "help",
    "here",   "how",   "i",     "if",   "in",    "into",  "is",     "it",    "its",   "just",
    "let",    "like",  "ll",    "m",    "may",   "me",    "might",  "must",  "my",    "need",
    "no",     "not",   "of",    "on",   "or",    "our",   "please", "re",    "shall", "she",
    "should", "so",    "some",  "such", "t",     "than",  "that",   "the",   "them",  "then",
    "there",  "these", "they",  "this", "those", "to",    "us",     "use",   "used",  "using",
    "ve",     "want",  "was",   "we",   "were",  "what",  "when",   "where", "which", "who",
    "whom",   "whose", "why",   "will", "with",  "would", "you",    "your"};
static_assert(std::is_sorted(kStopWords.begin(), kStopWords.end()));

}  // namespace

bool is_stop_word(std::string_view word) {
    return std::binary_search(kStopWords.begin(), kStopWords.end(), word);
}

}  // namespace holdfast::search
