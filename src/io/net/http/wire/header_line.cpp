#include "net/http/wire/header_line.hpp"

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "base/http_token.hpp"

// Searches eight bytes at a time. Each search computes a word that has the high bit set in the
// first byte it looks for. Carries may set high bits in bytes after that one, never before it.

namespace holdfast::net {
namespace {

static_assert(std::endian::native == std::endian::little, "the first byte must be the lowest one");

constexpr std::ptrdiff_t kWordBytes = sizeof(std::uint64_t);

constexpr std::uint64_t each_byte(unsigned char byte) {
    return byte * std::uint64_t{0x0101010101010101};
}

constexpr std::uint64_t kHighBits = each_byte(0x80);

constexpr std::uint64_t bytes_equal_to(std::uint64_t word, unsigned char byte) {
    const std::uint64_t difference = word ^ each_byte(byte);
    return (difference - each_byte(1)) & ~difference & kHighBits;
}

constexpr std::uint64_t bytes_below_blank(std::uint64_t word) {
    return (word - each_byte(' ')) & ~word & kHighBits;
}

/// The first place from `at` on where `marks` finds a byte in a word, or `is_found` accepts a byte.
template <class Marks, class IsFound>
const char* first_found(const char* at, const char* end, Marks marks, IsFound is_found) {
    for (; end - at >= kWordBytes; at += kWordBytes) {
        std::uint64_t word = 0;
        std::memcpy(&word, at, sizeof word);
        if (const std::uint64_t found = marks(word); found != 0) {
            return at + std::countr_zero(found) / 8;
        }
    }
    while (at != end && !is_found(*at)) {
        ++at;
    }
    return at;
}

const char* find_colon(const char* at, const char* end) {
    return first_found(
        at, end, [](std::uint64_t word) { return bytes_equal_to(word, ':'); },
        [](char character) { return character == ':'; });
}

/// Stops at a tab too, although a value may have one.
const char* find_control(const char* at, const char* end) {
    constexpr char kDelete = 0x7f;
    return first_found(
        at, end,
        [](std::uint64_t word) { return bytes_below_blank(word) | bytes_equal_to(word, kDelete); },
        [](char character) { return (character >= 0 && character < ' ') || character == kDelete; });
}

const char* find_value_end(const char* at, const char* end) {
    at = find_control(at, end);
    while (at != end && *at == '\t') {
        at = find_control(at + 1, end);
    }
    return at;
}

}  // namespace

HeaderLine take_header_line(std::string_view& rest) noexcept {
    const char* const begin = rest.data();
    const char* const end = begin + rest.size();
    const char* const colon = find_colon(begin, end);
    HeaderLine line{.header = {.name = {begin, colon}}};
    line.known = known_header(line.header.name);
    if (colon == end || (line.known == KnownHeader::none && !base::is_token(line.header.name))) {
        line.fault = HeaderLineFault::name;
        return line;
    }
    const char* const value_end = find_value_end(colon + 1, end);
    if (end - value_end < 2 || value_end[0] != '\r' || value_end[1] != '\n') {
        line.fault = HeaderLineFault::value;
        return line;
    }
    line.header.value = base::trimmed_value({colon + 1, value_end});
    rest.remove_prefix(static_cast<std::size_t>(value_end + 2 - begin));
    return line;
}

}  // namespace holdfast::net
