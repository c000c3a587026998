#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "search/encoder/model_file.hpp"

namespace holdfast::search::encoder {

using TokenId = std::uint32_t;

/// Splits text into tokens of a vocabulary: words in lower case without accents, each punctuation
/// mark and ideograph separately. A word that is not in the vocabulary is split into the longest
/// pieces that are.
///
/// Thread-safety: immutable; share it.
class WordPiece final {
public:
    /// The model's bytes must outlive this.
    explicit WordPiece(const ModelView& model);

    /// Returns the tokens between the start and end marks, at most `max_tokens` of the model. Does
    /// not read text beyond the limit.
    [[nodiscard]] std::vector<TokenId> tokens(std::string_view text) const;

private:
    void add_word(const std::u32string& word, std::vector<TokenId>& tokens) const;

    std::unordered_map<std::string_view, TokenId> ids_;
    std::size_t max_tokens_ = 0;
    std::size_t longest_text_bytes_ = 0;
};

}  // namespace holdfast::search::encoder
