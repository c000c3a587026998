#include "net/known_header.hpp"

#include <algorithm>
#include <cstring>

namespace holdfast::net {
namespace {

// A known header has its own pair of length and first letter.
constexpr std::size_t kMaxNameBytes = 31;
constexpr std::size_t kLetters = 32;
constexpr unsigned kLetterMask = 0x1f;  // the same for both cases of a letter

constexpr std::size_t shape_of(std::string_view name) {
    return name.size() * kLetters + (static_cast<unsigned char>(name.front()) & kLetterMask);
}

constexpr auto kByShape = [] {
    std::array<KnownHeader, (kMaxNameBytes + 1) * kLetters> table{};
    std::ranges::fill(table, KnownHeader::none);
    for (std::size_t index = 0; index < kKnownHeaderCount; ++index) {
        table[shape_of(kKnownHeaderNames[index])] = static_cast<KnownHeader>(index);
    }
    return table;
}();

static_assert(std::ranges::count(kByShape, KnownHeader::none) ==
                  static_cast<std::ptrdiff_t>(kByShape.size() - kKnownHeaderCount),
              "two known headers have the same length and first letter");
static_assert(std::ranges::all_of(kKnownHeaderNames, [](std::string_view name) {
    return name.size() >= sizeof(std::uint32_t) && name.size() <= kMaxNameBytes;
}));

/// Known names consist of lower-case letters and hyphens; of these only letters have the bit 0x40.
/// Setting the case bit of a byte where the name has a letter gives that letter only if the byte is
/// that letter in either case.
template <class Word>
bool has_same_word(const char* text, const char* name) noexcept {
    constexpr auto kLetterBits = static_cast<Word>(0x4040404040404040U);
    Word left = 0;
    Word right = 0;
    std::memcpy(&left, text, sizeof left);
    std::memcpy(&right, name, sizeof right);
    return (left | ((right & kLetterBits) >> 1U)) == right;
}

/// Compares words; the last one may overlap the one before it.
template <class Word>
bool has_same_words(std::string_view text, std::string_view name) noexcept {
    const std::size_t last = name.size() - sizeof(Word);
    for (std::size_t at = 0; at < last; at += sizeof(Word)) {
        if (!has_same_word<Word>(text.data() + at, name.data() + at)) {
            return false;
        }
    }
    return has_same_word<Word>(text.data() + last, name.data() + last);
}

}  // namespace

KnownHeader known_header(std::string_view name) noexcept {
    if (name.empty() || name.size() > kMaxNameBytes) {
        return KnownHeader::none;
    }
    const KnownHeader candidate = kByShape[shape_of(name)];
    if (candidate == KnownHeader::none) {
        return candidate;
    }
    const std::string_view known = kKnownHeaderNames[static_cast<std::size_t>(candidate)];
    const bool is_known = name.size() >= sizeof(std::uint64_t)
                              ? has_same_words<std::uint64_t>(name, known)
                              : has_same_words<std::uint32_t>(name, known);
    return is_known ? candidate : KnownHeader::none;
}

}  // namespace holdfast::net
