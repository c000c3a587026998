#pragma once

#include <optional>
#include <span>
#include <string_view>

namespace holdfast::jsonrpc {

/// One member of an object. The views point into the message; the key points into the reader if it
/// had escapes.
struct Field {
    std::string_view key;       ///< Decoded.
    std::string_view key_text;  ///< As written, with its quotes.
    std::string_view value;     ///< As written; valid JSON.
};

/// An object whose members have been found and whose values stay bytes. Empty if there is no
/// object.
///
/// Thread-safety: a view; valid as long as the message and the reader's last result are.
class ObjectView {
public:
    ObjectView() = default;
    ObjectView(std::string_view text, std::span<const Field> fields) noexcept
        : text_(text), fields_(fields) {}

    [[nodiscard]] bool exists() const noexcept { return !text_.empty(); }
    /// As written, braces included.
    [[nodiscard]] std::string_view text() const noexcept { return text_; }
    /// In the order of the message; a key may occur twice.
    [[nodiscard]] std::span<const Field> fields() const noexcept { return fields_; }

    /// Returns the value of the last member with that key, as most parsers do.
    [[nodiscard]] std::optional<std::string_view> find(std::string_view key) const noexcept {
        std::optional<std::string_view> value;
        for (const Field& field : fields_) {
            if (field.key == key) {
                value = field.value;
            }
        }
        return value;
    }

private:
    std::string_view text_;
    std::span<const Field> fields_;
};

}  // namespace holdfast::jsonrpc
