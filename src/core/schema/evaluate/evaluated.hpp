#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace holdfast::schema {

/// The positions of the members or items that some keyword has evaluated.
///
/// Thread-safety: none.
class Evaluated {
public:
    void mark(std::size_t position) {
        const std::size_t word = position / 64;
        if (word >= words_.size()) {
            words_.resize(word + 1);
        }
        words_[word] |= std::uint64_t{1} << (position % 64);
    }

    void add(const Evaluated& other) {
        words_.resize(std::max(words_.size(), other.words_.size()));
        for (std::size_t i = 0; i < other.words_.size(); ++i) {
            words_[i] |= other.words_[i];
        }
    }

    [[nodiscard]] bool has(std::size_t position) const noexcept {
        const std::size_t word = position / 64;
        return word < words_.size() && ((words_[word] >> (position % 64)) & 1U) != 0;
    }

    /// The cost of merging this into another one.
    [[nodiscard]] std::size_t word_count() const noexcept { return words_.size(); }

private:
    std::vector<std::uint64_t> words_;
};

}  // namespace holdfast::schema
