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

/// Cuts text into the tokens of a vocabulary: words in small letters without accents, signs of
/// punctuation and ideographs one by one, and words that the vocabulary lacks in the longest pieces
/// that it has.
///
/// Thread-safety: immutable; share it.
class WordPiece final {
public:
    /// The model's bytes must outlive this.
    explicit WordPiece(const ModelView& model);

    /// The tokens with their marks at both ends, `max_tokens` of the model at most. Text that no
    /// longer counts is not read.
    [[nodiscard]] std::vector<TokenId> tokens(std::string_view text) const;

private:
    void add_word(const std::u32string& word, std::vector<TokenId>& tokens) const;

    std::unordered_map<std::string_view, TokenId> ids_;
    std::size_t max_tokens_ = 0;
    std::size_t longest_text_bytes_ = 0;
};

}  // namespace holdfast::search::encoder
