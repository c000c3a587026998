#include "proxy/answer_text.hpp"

#include <algorithm>
#include <charconv>
#include <cstddef>

namespace holdfast::bench {
namespace {

constexpr std::string_view kHeadEnd = "\r\n\r\n";

std::string_view trimmed(std::string_view text) {
    const std::size_t begin = text.find_first_not_of(' ');
    return begin == std::string_view::npos ? std::string_view{} : text.substr(begin);
}

// For ASCII letters, which suffice for header names.
char lower(char character) {
    return character >= 'A' && character <= 'Z' ? static_cast<char>(character | 0x20) : character;
}

bool has_name(std::string_view line, std::string_view name) {
    return line.size() > name.size() && line[name.size()] == ':' &&
           std::ranges::equal(line.substr(0, name.size()), name, {}, lower, lower);
}

}  // namespace

bool AnswerText::is_complete() const {
    const std::size_t head_end = bytes_.find(kHeadEnd);
    if (head_end == std::string::npos) {
        return false;
    }
    const auto length = header("content-length");
    if (!length) {
        return header("transfer-encoding") ? bytes_.ends_with("0\r\n\r\n") : true;
    }
    std::size_t size_bytes = 0;
    std::from_chars(length->data(), length->data() + length->size(), size_bytes);
    return bytes_.size() >= head_end + kHeadEnd.size() + size_bytes;
}

bool AnswerText::has_status(std::string_view status) const {
    return std::string_view{bytes_}.substr(0, 9) == "HTTP/1.1 " &&
           std::string_view{bytes_}.substr(9, status.size()) == status;
}

bool AnswerText::has_result(std::uint64_t id) const {
    const std::string member = "\"id\":" + std::to_string(id);
    const std::size_t found = bytes_.find(member);
    if (found == std::string::npos || bytes_.find("\"result\":") == std::string::npos) {
        return false;
    }
    const char next = bytes_[found + member.size()];
    return next == ',' || next == '}';
}

std::optional<std::string> AnswerText::header(std::string_view name) const {
    const std::string_view head = std::string_view{bytes_}.substr(0, bytes_.find(kHeadEnd));
    std::size_t begin = head.find("\r\n");
    while (begin != std::string_view::npos) {
        begin += 2;
        const std::size_t end = head.find("\r\n", begin);
        const std::string_view line = head.substr(begin, end - begin);
        if (has_name(line, name)) {
            return std::string{trimmed(line.substr(name.size() + 1))};
        }
        begin = end;
    }
    return std::nullopt;
}

}  // namespace holdfast::bench
