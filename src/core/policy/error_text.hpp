#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace holdfast::policy {

/// The text of an error, prepared for several lookups that ignore case.
///
/// Thread-safety: immutable.
class ErrorText final {
public:
    explicit ErrorText(std::string_view text);

    [[nodiscard]] bool has(std::string_view words) const;
    /// Whether `word` occurs without a letter, a digit or `_` next to it.
    [[nodiscard]] bool has_whole_word(std::string_view word) const;

private:
    std::string lowered_;
};

/// How a text mentions a status. A key of JSON does not mention one: its value may be anything and
/// is read as JSON.
enum class TextForm : std::uint8_t { prose, json };

/// Returns the first HTTP status from 400 to 599 that a text mentions: "HTTP 429", "HTTP/1.1 503",
/// "status code: 404", and in prose also "\"status\":403".
[[nodiscard]] std::optional<int> status_in(std::string_view text, TextForm form = TextForm::prose);

/// Returns the status if the text consists of its three digits, otherwise nothing.
[[nodiscard]] std::optional<int> status_of_digits(std::string_view text) noexcept;

}  // namespace holdfast::policy
