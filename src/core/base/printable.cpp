#include "base/printable.hpp"

#include "base/text_cut.hpp"

namespace holdfast::base {
namespace {

constexpr unsigned char kFirstPrintable = 0x20;
constexpr unsigned char kDelete = 0x7F;
/// The first byte of U+0080 to U+00BF. U+0080 to U+009F are control characters, too.
constexpr unsigned char kLatinLead = 0xC2;
constexpr unsigned char kFirstLatinPrintable = 0xA0;

bool is_control(std::string_view text, std::size_t index) {
    const auto byte = static_cast<unsigned char>(text[index]);
    if (byte == kLatinLead && index + 1 < text.size()) {
        return static_cast<unsigned char>(text[index + 1]) < kFirstLatinPrintable;
    }
    return byte < kFirstPrintable || byte == kDelete;
}

}  // namespace

std::string shown_text(std::string_view text) {
    std::string shown;
    shown.reserve(text.size());
    for (std::size_t index = 0; index < text.size(); ++index) {
        const bool is_layout = text[index] == '\n' || text[index] == '\t';
        if (is_layout || !is_control(text, index)) {
            shown += text[index];
        } else {
            shown += '?';
            index += static_cast<unsigned char>(text[index]) == kLatinLead ? 1U : 0U;
        }
    }
    return shown;
}

std::string shown_line(std::string_view text, std::size_t max_bytes) {
    std::string line = shown_text(text.substr(0, text.find_first_of("\r\n")));
    if (line.size() > max_bytes) {
        std::size_t end = max_bytes;
        while (end > 0 && continues_character(line[end])) {
            --end;
        }
        line.resize(end);
        line += "…";
    }
    return line;
}

}  // namespace holdfast::base
