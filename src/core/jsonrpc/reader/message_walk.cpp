#include "jsonrpc/reader/message_walk.hpp"

#include <algorithm>
#include <utility>

#include "base/text_cut.hpp"
#include "jsonrpc/json_text.hpp"

namespace holdfast::jsonrpc {

namespace ondemand = simdjson::ondemand;

namespace {

static_assert(PaddedText::kPadding >= simdjson::SIMDJSON_PADDING);

constexpr bool is_space(char character) noexcept {
    return character == ' ' || character == '\t' || character == '\r' || character == '\n';
}

std::string_view trimmed_end(std::string_view text) noexcept {
    while (!text.empty() && is_space(text.back())) {
        text.remove_suffix(1);
    }
    return text;
}

/// Returns the key of a value with both quotes. The iterator has checked that only a colon and
/// spaces separate key and value, so the search backwards reads no byte of the key.
std::string_view key_before(std::string_view value, const char* opening_quote) noexcept {
    const char* closing_quote = value.data() - 1;
    while (closing_quote > opening_quote && *closing_quote != '"') {
        --closing_quote;
    }
    return {opening_quote, static_cast<std::size_t>(closing_quote + 1 - opening_quote)};
}

/// Returns the text from `start` to its closing bracket, the last bracket before `behind`.
std::string_view closed_before(const char* start, const char* behind) noexcept {
    while (behind > start && behind[-1] != '}' && behind[-1] != ']') {
        --behind;
    }
    return {start, static_cast<std::size_t>(behind - start)};
}

Level level_below(Level level, std::string_view key) noexcept {
    if (level == Level::message && (key == "params" || key == "result" || key == "error")) {
        return Level::body;
    }
    return level == Level::body && key == "_meta" ? Level::meta : Level::other;
}

}  // namespace

bool MessageWalk::walk_object(Level level) {
    Document document;
    Object object;
    return index(document) && !fail_if(document.get_object().get(object)) &&
           visit_members(object, level, 1) && expect_end(document);
}

bool MessageWalk::walk_array(std::vector<std::string_view>& elements) {
    Document document;
    ondemand::array array;
    if (!index(document) || fail_if(document.get_array().get(array))) {
        return false;
    }
    for (auto element : array) {
        Value value;
        std::string_view element_text;
        if (fail_if(element.get(value)) || !visit(value, Level::other, 2, element_text)) {
            return false;
        }
        if (elements.size() >= limits_.max_batch) {
            return fail_limit("messages in a batch", limits_.max_batch);
        }
        elements.push_back(element_text);
    }
    return expect_end(document);
}

std::string MessageWalk::id_of_response() const {
    const simdjson::padded_string_view padded{text_.data(), text_.size(),
                                              text_.size() + PaddedText::kPadding};
    Document document;
    Object object;
    Value value;
    if (memory_.parser.iterate(padded).get(document) != simdjson::SUCCESS ||
        document.get_object().get(object) != simdjson::SUCCESS ||
        object.find_field_unordered("method").get(value) == simdjson::SUCCESS ||
        object.find_field_unordered("id").get(value) != simdjson::SUCCESS) {
        return {};
    }
    return std::string{trimmed_end(value.raw_json_token())};
}

bool MessageWalk::index(Document& document) {
    const simdjson::padded_string_view padded{text_.data(), text_.size(),
                                              text_.size() + PaddedText::kPadding};
    return !fail_if(memory_.parser.iterate(padded).get(document));
}

bool MessageWalk::expect_end(Document& document) {
    const char* rest = nullptr;
    const bool at_end = document.current_location().get(rest) == simdjson::OUT_OF_BOUNDS;
    return at_end || fail("unexpected text after the end");
}

bool MessageWalk::visit(Value value, Level level, std::size_t depth, std::string_view& text) {
    const std::string_view token = value.raw_json_token();
    const char* const start = token.data();
    if (token.starts_with('{') || token.starts_with('[')) {
        const char* behind = nullptr;
        if (!visit_container(value, token.front() == '{', level, depth) ||
            fail_if(value.current_location().get(behind))) {
            return false;
        }
        text = closed_before(start, behind);
        return true;
    }
    text = trimmed_end(token);
    // The scalar itself is not consumed, so the iterator would take a string before a colon for a
    // key. The byte after the token is the next one that is not a space.
    const char next = start[token.size()];
    if (is_sound_scalar(text) && (next == ',' || next == '}' || next == ']')) {
        return true;
    }
    constexpr std::size_t kShownBytes = 40;
    return fail("unexpected \"" + std::string{base::beginning_of(text, kShownBytes)} + "\"");
}

bool MessageWalk::is_sound_scalar(std::string_view text) const noexcept {
    const bool is_plain_string = !has_escapes_ && text.starts_with('"');
    return is_plain_string ? text.size() >= 2 && text.ends_with('"') : is_scalar(text);
}

bool MessageWalk::visit_container(Value& value, bool is_object, Level level, std::size_t depth) {
    if (depth > limits_.max_depth) {
        return fail_limit("levels of nesting", limits_.max_depth);
    }
    if (is_object) {
        Object object;
        return !fail_if(value.get_object().get(object)) && visit_members(object, level, depth);
    }
    ondemand::array array;
    if (fail_if(value.get_array().get(array))) {
        return false;
    }
    for (auto element : array) {
        Value inner;
        std::string_view ignored;
        if (fail_if(element.get(inner)) || !visit(inner, Level::other, depth + 1, ignored)) {
            return false;
        }
    }
    return true;
}

bool MessageWalk::visit_members(Object& object, Level level, std::size_t depth) {
    std::vector<Field>* fields = fields_of(level);
    if (fields != nullptr) {
        fields->clear();
    }
    for (auto result : object) {
        ondemand::field member;
        Field field;
        if (fail_if(std::move(result).get(member)) || !read_key(member, fields != nullptr, field) ||
            !visit(member.value(), level_below(level, field.key), depth + 1, field.value)) {
            return false;
        }
        if (fields == nullptr) {
            continue;
        }
        if (++field_count_ > limits_.max_fields) {
            return fail_limit("members", limits_.max_fields);
        }
        fields->push_back(field);
    }
    return true;
}

bool MessageWalk::read_key(ondemand::field& member, bool is_wanted, Field& field) {
    field.key_text = key_before(member.value().raw_json_token(), member.key().raw() - 1);
    field.key = between_quotes(field.key_text);
    if (!has_escapes_ || field.key.find('\\') == std::string_view::npos) {
        return true;
    }
    if (!has_legal_escapes(field.key)) {
        return fail("a key has an invalid escape");
    }
    if (is_wanted) {
        field.key = memory_.decoded_keys.emplace_back(decoded(field.key_text));
    }
    return true;
}

std::vector<Field>* MessageWalk::fields_of(Level level) noexcept {
    switch (level) {
        case Level::message:
            return &memory_.message;
        case Level::body:
            return &memory_.body;
        case Level::meta:
            return &memory_.meta;
        case Level::lone_object:
            return &memory_.object;
        case Level::other:
            break;
    }
    return nullptr;
}

bool MessageWalk::fail(std::string complaint) {
    complaint_ = std::move(complaint);
    return false;
}

bool MessageWalk::fail_limit(std::string_view what, std::size_t limit) {
    is_limit_ = true;
    return fail("it has more than " + std::to_string(limit) + " " + std::string{what});
}

bool MessageWalk::fail_with(simdjson::error_code error) {
    return !fail(simdjson::error_message(error));
}

}  // namespace holdfast::jsonrpc
