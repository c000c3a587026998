#include "search/words/unicode.hpp"

#include <utf8proc.h>

#include <array>

namespace holdfast::search {
namespace {

bool is_between(std::int32_t code_point, std::int32_t first, std::int32_t last) {
    return first <= code_point && code_point <= last;
}

bool is_ideograph(std::int32_t code_point) {
    return is_between(code_point, 0x4E00, 0x9FFF) || is_between(code_point, 0x3400, 0x4DBF) ||
           is_between(code_point, 0xF900, 0xFAFF);
}

CharacterKind kind_of_ascii(std::int32_t code_point) {
    if (is_between(code_point, 'a', 'z') || is_between(code_point, 'A', 'Z') ||
        is_between(code_point, '0', '9')) {
        return CharacterKind::word;
    }
    if (code_point == ' ' || code_point == '\t' || code_point == '\n' || code_point == '\r') {
        return CharacterKind::space;
    }
    return is_between(code_point, '!', '~') ? CharacterKind::punctuation : CharacterKind::ignored;
}

}  // namespace

std::int32_t next_code_point(std::string_view text, std::size_t& position) {
    const auto byte = static_cast<unsigned char>(text[position]);
    if (byte < 0x80U) {
        ++position;
        return byte;
    }
    std::array<utf8proc_uint8_t, 4> bytes{};
    const std::size_t size = text.copy(reinterpret_cast<char*>(bytes.data()), 4, position);
    utf8proc_int32_t code_point = kReplacement;
    const utf8proc_ssize_t used =
        utf8proc_iterate(bytes.data(), static_cast<utf8proc_ssize_t>(size), &code_point);
    if (used < 1) {
        ++position;
        return kReplacement;
    }
    position += static_cast<std::size_t>(used);
    return code_point;
}

CharacterKind kind_of(std::int32_t code_point) {
    if (code_point < 0x80) {
        return kind_of_ascii(code_point);
    }
    if (is_ideograph(code_point)) {
        return CharacterKind::ideograph;
    }
    const utf8proc_category_t category = utf8proc_category(code_point);
    if (code_point == kReplacement || category == UTF8PROC_CATEGORY_CN ||
        category >= UTF8PROC_CATEGORY_CC) {
        return CharacterKind::ignored;
    }
    if (category == UTF8PROC_CATEGORY_ZS) {
        return CharacterKind::space;
    }
    if (category >= UTF8PROC_CATEGORY_PC && category <= UTF8PROC_CATEGORY_PO) {
        return CharacterKind::punctuation;
    }
    return category <= UTF8PROC_CATEGORY_NO ? CharacterKind::word : CharacterKind::symbol;
}

void append_folded(std::int32_t code_point, std::u32string& out) {
    if (code_point < 0x80) {
        const bool is_capital = is_between(code_point, 'A', 'Z');
        out += static_cast<char32_t>(is_capital ? code_point + ('a' - 'A') : code_point);
        return;
    }
    // The longest canonical decomposition has four parts.
    std::array<utf8proc_int32_t, 8> parts{};
    int boundary_class = 0;
    const utf8proc_ssize_t count =
        utf8proc_decompose_char(utf8proc_tolower(code_point), parts.data(), parts.size(),
                                UTF8PROC_DECOMPOSE, &boundary_class);
    for (std::size_t index = 0; index < parts.size(); ++index) {
        if (static_cast<utf8proc_ssize_t>(index) >= count) {
            break;
        }
        if (utf8proc_category(parts.at(index)) != UTF8PROC_CATEGORY_MN) {
            out += static_cast<char32_t>(parts.at(index));
        }
    }
}

void append_utf8(char32_t code_point, std::string& out) {
    std::array<utf8proc_uint8_t, 4> bytes{};
    const utf8proc_ssize_t size =
        utf8proc_encode_char(static_cast<utf8proc_int32_t>(code_point), bytes.data());
    out.append(reinterpret_cast<const char*>(bytes.data()), static_cast<std::size_t>(size));
}

}  // namespace holdfast::search
