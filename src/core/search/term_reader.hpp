#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

struct sb_stemmer;

namespace holdfast::search {

/// Limits of what is read of one text. The rest is ignored, so that the cost of untrusted text is
/// bounded.
struct TextLimits {
    std::size_t max_bytes = std::size_t{16} * 1024;
    std::size_t max_terms = 2'000;
    std::size_t max_term_bytes = 64;  ///< A longer word is cut.
};

/// Turns text into the terms that are compared. Splits identifiers (`camelCase`, `snake_case`),
/// removes case and accents, drops common words and reduces English words to their stem. An
/// ideograph is a separate term. Bytes that are not UTF-8 separate words.
///
/// Thread-safety: none; cheap to construct.
class TermReader final {
public:
    TermReader();
    TermReader(const TermReader&) = delete;
    TermReader& operator=(const TermReader&) = delete;
    ~TermReader();

    /// Returns the terms in order, with repetitions.
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
