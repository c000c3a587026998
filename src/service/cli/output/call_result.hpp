#pragma once

#include <string>
#include <string_view>

namespace holdfast::cli {

/// Whether the result of a call (JSON) says that the tool has failed, or asks for something.
[[nodiscard]] bool is_failed_result(std::string_view result);

/// The result for people: the texts as they are, a line about everything else. For a terminal
/// without characters that could do something to it.
[[nodiscard]] std::string shown_result(std::string_view result, bool is_for_terminal);

}  // namespace holdfast::cli
