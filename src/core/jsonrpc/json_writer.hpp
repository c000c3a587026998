#pragma once

#include <concepts>
#include <optional>
#include <string>
#include <string_view>

namespace holdfast::jsonrpc {

/// Writes one JSON text from its beginning to its end: commas and quotes are its business, that
/// what is opened is closed is the caller's.
///
/// Thread-safety: none.
class JsonWriter final {
public:
    JsonWriter& begin_object() { return open('{'); }
    JsonWriter& end_object() { return close('}'); }
    JsonWriter& begin_array() { return open('['); }
    JsonWriter& end_array() { return close(']'); }
    /// Of the member whose value comes next.
    JsonWriter& key(std::string_view name);

    JsonWriter& text(std::string_view value);
    JsonWriter& boolean(bool value) { return raw(value ? "true" : "false"); }
    /// Without the digits that nobody wants to see: 1.5, 0.001, 30.
    JsonWriter& number(double value);
    template <std::integral Value>
    JsonWriter& number(Value value) {
        return raw(std::to_string(value));
    }
    JsonWriter& null() { return raw("null"); }
    /// A value that is JSON already.
    JsonWriter& raw(std::string_view json);

    template <class Value>
    JsonWriter& number_or_null(const std::optional<Value>& value) {
        return value ? number(*value) : null();
    }
    /// Leaves the member out when there is nothing to say.
    JsonWriter& text_unless_empty(std::string_view name, std::string_view value) {
        return value.empty() ? *this : key(name).text(value);
    }

    [[nodiscard]] std::string take() { return std::move(out_); }

private:
    JsonWriter& open(char bracket);
    JsonWriter& close(char bracket);
    void separate();

    std::string out_;
};

}  // namespace holdfast::jsonrpc
