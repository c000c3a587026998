#include "base/utf8.hpp"

namespace holdfast::base {
namespace {

struct Sequence {
    std::size_t size_bytes = 0;  // 0 = no character begins like this
    std::uint32_t smallest = 0;  // a smaller one in that number of bytes is an overlong form
};

Sequence sequence_of(unsigned char first) noexcept {
    if (first < 0x80U) {
        return {.size_bytes = 1, .smallest = 0};
    }
    if ((first & 0xE0U) == 0xC0U) {
        return {.size_bytes = 2, .smallest = 0x80};
    }
    if ((first & 0xF0U) == 0xE0U) {
        return {.size_bytes = 3, .smallest = 0x800};
    }
    if ((first & 0xF8U) == 0xF0U) {
        return {.size_bytes = 4, .smallest = 0x10000};
    }
    return {};
}

char continuation(std::uint32_t bits) noexcept {
    return static_cast<char>(0x80U | (bits & 0x3FU));
}

}  // namespace

std::size_t utf8_character_bytes(std::string_view text) noexcept {
    const auto first = static_cast<unsigned char>(text.front());
    const Sequence sequence = sequence_of(first);
    if (sequence.size_bytes <= 1 || sequence.size_bytes > text.size()) {
        return sequence.size_bytes == 1 ? 1 : 0;
    }
    std::uint32_t code_point = first & (0x7FU >> sequence.size_bytes);
    for (const char next : text.substr(1, sequence.size_bytes - 1)) {
        const auto byte = static_cast<unsigned char>(next);
        if ((byte & 0xC0U) != 0x80U) {
            return 0;
        }
        code_point = (code_point << 6U) | (byte & 0x3FU);
    }
    const bool is_surrogate = code_point >= 0xD800 && code_point <= 0xDFFF;
    const bool is_valid =
        code_point >= sequence.smallest && code_point <= 0x10FFFF && !is_surrogate;
    return is_valid ? sequence.size_bytes : 0;
}

std::size_t valid_utf8_bytes(std::string_view text) noexcept {
    std::size_t offset = 0;
    while (offset < text.size()) {
        const std::size_t size_bytes = utf8_character_bytes(text.substr(offset));
        if (size_bytes == 0) {
            return offset;
        }
        offset += size_bytes;
    }
    return offset;
}

std::string with_valid_utf8(std::string_view text) {
    std::string valid;
    valid.reserve(text.size());
    while (!text.empty()) {
        const std::size_t good = valid_utf8_bytes(text);
        valid.append(text.substr(0, good));
        text.remove_prefix(good);
        if (!text.empty()) {
            valid.push_back('?');
            text.remove_prefix(1);
        }
    }
    return valid;
}

void append_utf8(std::string& text, std::uint32_t code_point) {
    if (code_point < 0x80) {
        text += static_cast<char>(code_point);
    } else if (code_point < 0x800) {
        text += {static_cast<char>(0xC0U | (code_point >> 6U)), continuation(code_point)};
    } else if (code_point < 0x10000) {
        text += {static_cast<char>(0xE0U | (code_point >> 12U)), continuation(code_point >> 6U),
                 continuation(code_point)};
    } else {
        text += {static_cast<char>(0xF0U | (code_point >> 18U)), continuation(code_point >> 12U),
                 continuation(code_point >> 6U), continuation(code_point)};
    }
}

}  // namespace holdfast::base
