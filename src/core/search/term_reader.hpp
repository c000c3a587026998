#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

struct sb_stemmer;

namespace holdfast::search {

/// How much of one text is read. What comes after a limit is not looked at, so that the cost of a
/// text is bounded whoever wrote it.
struct TextLimits {
    std::size_t max_bytes = std::size_t{16} * 1024;
    std::size_t max_terms = 2'000;
    std::size_t max_term_bytes = 64;  ///< A longer word is cut.
};

/// Turns text into the terms that are compared: identifiers are split (`camelCase`, `snake_case`),
/// letters are small and without accents, common words are left out, and English words are reduced
/// to their stem. An ideograph is a term of its own. Bytes that are no UTF-8 separate words.
///
/// Thread-safety: none; it is cheap to make one where it is needed.
class TermReader final {
public:
    TermReader();
    TermReader(const TermReader&) = delete;
    TermReader& operator=(const TermReader&) = delete;
    ~TermReader();

    /// The terms in their order, with repetitions.
    [[nodiscard]] std::vector<std::string> terms(std::string_view text,
                                                 const TextLimits& limits = {});

private:
    struct StemmerDeleter {
        void operator()(sb_stemmer* stemmer) const noexcept;
    };

    [[nodiscard]] std::string stem(const std::string& word);

    const std::unique_ptr<sb_stemmer, StemmerDeleter> stemmer_;
};

}  // namespace holdfast::search
