#include "config/syntax/document_parser.hpp"

#include <charconv>
#include <cmath>
#include <map>
#include <system_error>
#include <utility>

namespace holdfast::config {
namespace {

bool is_digit(char one) noexcept {
    return one >= '0' && one <= '9';
}

bool is_word_character(char one) noexcept {
    const bool is_letter = (one >= 'a' && one <= 'z') || (one >= 'A' && one <= 'Z');
    return is_letter || is_digit(one) || one == '_' || one == '-' || one == '+' || one == '.' ||
           one == '$';
}

/// Whether a word is a number as JSON writes them: from_chars alone would also take ".5" and "1.".
bool is_json_number(std::string_view word) noexcept {
    std::size_t at = word.starts_with('-') ? 1 : 0;
    const auto skip_digits = [&] {
        const std::size_t first = at;
        while (at < word.size() && is_digit(word[at])) {
            ++at;
        }
        return at > first;
    };
    const bool has_leading_zero = word.size() > at + 1 && word[at] == '0' && is_digit(word[at + 1]);
    if (has_leading_zero || !skip_digits()) {
        return false;
    }
    if (at < word.size() && word[at] == '.') {
        ++at;
        if (!skip_digits()) {
            return false;
        }
    }
    if (at < word.size() && (word[at] == 'e' || word[at] == 'E')) {
        ++at;
        at += at < word.size() && (word[at] == '+' || word[at] == '-') ? 1 : 0;
        if (!skip_digits()) {
            return false;
        }
    }
    return at == word.size();
}

}  // namespace

std::optional<Node> DocumentParser::parse() {
    Node root;
    if (!skip_blank()) {
        return std::nullopt;
    }
    if (cursor_.is_at_end()) {
        stop(cursor_.place(), "the file is empty; write at least {\"mcpServers\": {}}");
        return std::nullopt;
    }
    if (!parse_value(root) || !skip_blank()) {
        return std::nullopt;
    }
    if (!cursor_.is_at_end()) {
        stop(cursor_.place(),
             "unexpected text after the end of the document; remove it, or the extra "
             "bracket above");
    }
    return is_sound_ ? std::optional{std::move(root)} : std::nullopt;
}

bool DocumentParser::skip_blank() {
    while (!cursor_.is_at_end()) {
        const char next = cursor_.peek();
        if (next == ' ' || next == '\t' || next == '\n' || next == '\r') {
            cursor_.advance();
        } else if (next == '/' && cursor_.peek(1) == '/') {
            while (!cursor_.is_at_end() && cursor_.peek() != '\n' && cursor_.peek() != '\r') {
                cursor_.advance();
            }
        } else if (next == '/' && cursor_.peek(1) == '*') {
            if (!skip_block_comment()) {
                return false;
            }
        } else {
            break;
        }
    }
    return true;
}

bool DocumentParser::skip_block_comment() {
    const Place begin = cursor_.place();
    cursor_.advance(2);
    while (!cursor_.is_at_end()) {
        if (cursor_.peek() == '*' && cursor_.peek(1) == '/') {
            cursor_.advance(2);
            return true;
        }
        cursor_.advance();
    }
    return stop(begin, "unclosed comment; add \"*/\" where it ends");
}

bool DocumentParser::parse_value(Node& value) {
    value.place = cursor_.place();
    if (++value_count_ > limits_.max_values) {
        return stop(value.place, "the file has more than " + std::to_string(limits_.max_values) +
                                     " values; is it a config?");
    }
    switch (cursor_.peek()) {
        case '{':
            return parse_object(value);
        case '[':
            return parse_list(value);
        case '"':
            value.kind = NodeKind::text;
            return parse_text(value.text);
        case '\'':
            return parse_single_quoted();
        default:
            return parse_word(value);
    }
}

bool DocumentParser::parse_object(Node& object) {
    object.kind = NodeKind::object;
    if (++depth_ > limits_.max_depth) {
        return stop(object.place,
                    "more than " + std::to_string(limits_.max_depth) + " levels of nesting");
    }
    cursor_.advance();
    for (;;) {
        if (!skip_blank()) {
            return false;
        }
        if (cursor_.take('}')) {
            --depth_;
            report_repeated_keys(object);
            return !report_.is_full();
        }
        if (cursor_.is_at_end()) {
            return stop(object.place, "unclosed object; add \"}\" where it ends");
        }
        if (!parse_member(object) || !parse_separator('}')) {
            return false;
        }
    }
}

bool DocumentParser::parse_member(Node& object) {
    Member& member = object.members.emplace_back();
    member.key_place = cursor_.place();
    if (!parse_key(member.key) || !skip_blank()) {
        return false;
    }
    if (!cursor_.take(':')) {
        return stop(cursor_.place(), "expected \":\" after the key");
    }
    return skip_blank() && parse_value(member.value);
}

bool DocumentParser::parse_key(std::string& key) {
    if (cursor_.peek() == '"') {
        return parse_text(key);
    }
    const Place place = cursor_.place();
    key = take_word();
    if (key.empty()) {
        return stop(place, "expected a key in double quotes");
    }
    slip(place, "a key needs double quotes");
    return true;
}

bool DocumentParser::parse_list(Node& list) {
    list.kind = NodeKind::list;
    if (++depth_ > limits_.max_depth) {
        return stop(list.place,
                    "more than " + std::to_string(limits_.max_depth) + " levels of nesting");
    }
    cursor_.advance();
    for (;;) {
        if (!skip_blank()) {
            return false;
        }
        if (cursor_.take(']')) {
            --depth_;
            return true;
        }
        if (cursor_.is_at_end()) {
            return stop(list.place, "unclosed list; add \"]\" where it ends");
        }
        if (!parse_value(list.items.emplace_back()) || !parse_separator(']')) {
            return false;
        }
    }
}

/// Steps over the comma behind a value. The end of the object or list is left to the caller.
bool DocumentParser::parse_separator(char end) {
    if (!skip_blank()) {
        return false;
    }
    const char next = cursor_.peek();
    if (cursor_.take(',') || next == end || cursor_.is_at_end()) {
        return true;
    }
    const bool starts_another =
        next == '"' || next == '{' || next == '[' || next == '\'' || is_word_character(next);
    if (starts_another) {
        slip(cursor_.place(), "missing comma before this");
        return !report_.is_full();
    }
    return stop(cursor_.place(), std::string{"expected \",\" or \""} + end + '"');
}

bool DocumentParser::parse_single_quoted() {
    const Place begin = cursor_.place();
    cursor_.advance();
    while (!cursor_.is_at_end() && cursor_.peek() != '\n') {
        if (cursor_.take('\'')) {
            slip(begin, "single quotes; use double quotes");
            return !report_.is_full();
        }
        cursor_.advance();
    }
    return stop(begin, "single quotes; use double quotes");
}

bool DocumentParser::parse_word(Node& value) {
    const std::string_view word = take_word();
    if (word.empty()) {
        return stop(value.place, "expected a value");
    }
    if (word == "true" || word == "false") {
        value.kind = NodeKind::boolean;
        value.boolean = word == "true";
    } else if (is_json_number(word)) {
        parse_number(word, value);
    } else if (word != "null") {
        slip(value.place,
             "invalid value; expected true, false, null, a number, or text in double quotes");
    }
    return !report_.is_full();
}

void DocumentParser::parse_number(std::string_view word, Node& value) {
    value.kind = NodeKind::number;
    value.text = word;
    const auto read = std::from_chars(word.data(), word.data() + word.size(), value.number);
    if (read.ec != std::errc{}) {
        slip(value.place, "number out of range");
    }
}

std::string_view DocumentParser::take_word() {
    const std::size_t begin = cursor_.offset();
    while (is_word_character(cursor_.peek())) {
        cursor_.advance();
    }
    return cursor_.since(begin);
}

void DocumentParser::report_repeated_keys(const Node& object) {
    std::map<std::string_view, Place> first_places;
    for (const Member& member : object.members) {
        const auto [first, is_new] = first_places.try_emplace(member.key, member.key_place);
        if (!is_new) {
            report_.refuse(member.key_place, key_path("", member.key) +
                                                 ": duplicate key, first defined on line " +
                                                 std::to_string(first->second.line));
        }
    }
}

bool DocumentParser::stop(Place place, std::string message) {
    slip(place, std::move(message));
    return false;
}

void DocumentParser::slip(Place place, std::string message) {
    is_sound_ = false;
    report_.refuse(place, std::move(message));
}

}  // namespace holdfast::config
