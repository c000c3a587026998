#pragma once

#include <optional>
#include <string_view>

namespace holdfast::policy::detail {

// What can be found in the text of an error. Case does not matter.

[[nodiscard]] bool has_words(std::string_view text, std::string_view words);
/// `word` with no letter, digit or `_` beside it.
[[nodiscard]] bool has_whole_word(std::string_view text, std::string_view word);
/// The first HTTP status from 400 to 599 that is named as one: "HTTP 429", "HTTP/1.1 503",
/// "status code: 404", "\"status\":403".
[[nodiscard]] std::optional<int> status_in(std::string_view text);

}  // namespace holdfast::policy::detail
