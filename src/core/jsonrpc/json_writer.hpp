#pragma once

#include <concepts>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace holdfast::jsonrpc {

/// Writes one JSON text from beginning to end, or the members of an object without its braces. Adds
/// commas and quotes; the caller closes what it opens.
///
/// Thread-safety: none.
class JsonWriter final {
public:
    JsonWriter& begin_object() { return open('{'); }
    JsonWriter& end_object() { return close('}'); }
    JsonWriter& begin_array() { return open('['); }
    JsonWriter& end_array() { return close(']'); }
    /// Begins a member; its value is written next.
    JsonWriter& key(std::string_view name);

    JsonWriter& text(std::string_view value);
    /// Writes a list of texts.
    JsonWriter& texts(std::span<const std::string> values);
    JsonWriter& boolean(bool value) { return raw(value ? "true" : "false"); }
    /// Writes the shortest form: 1.5, 0.001, 30.
    JsonWriter& number(double value);
    template <std::integral Value>
    JsonWriter& number(Value value) {
        return raw(std::to_string(value));
    }
    JsonWriter& null() { return raw("null"); }
    /// Writes a value that is JSON text.
    JsonWriter& raw(std::string_view json);

    template <class Value>
    JsonWriter& number_or_null(const std::optional<Value>& value) {
        return value ? number(*value) : null();
    }
    /// Omits the member if the value is empty.
    JsonWriter& text_unless_empty(std::string_view name, std::string_view value) {
        return value.empty() ? *this : key(name).text(value);
    }
    JsonWriter& text_or_null(std::string_view value) {
        return value.empty() ? null() : text(value);
    }

    [[nodiscard]] std::string take() { return std::move(out_); }

private:
    JsonWriter& open(char bracket);
    JsonWriter& close(char bracket);
    void separate();

    std::string out_;
};

}  // namespace holdfast::jsonrpc
