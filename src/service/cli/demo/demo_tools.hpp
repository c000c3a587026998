#pragma once

#include <span>
#include <string>
#include <string_view>

// The tools of the servers that are built in for the demo. They are small, and do what they say.

namespace holdfast::cli {

/// What a tool answers, as text for a model.
struct DemoAnswer {
    std::string text = {};
    bool is_error = false;
};

struct DemoTool {
    std::string_view name = {};
    std::string_view definition = {};  ///< As `tools/list` has it.
    /// `arguments` is a JSON object, or empty.
    DemoAnswer (*run)(std::string_view arguments) = nullptr;
};

/// `convert_units`, `days_between`, `word_count`.
[[nodiscard]] std::span<const DemoTool> steady_demo_tools() noexcept;
/// `find_airport`, and `book_seat`, which changes something.
[[nodiscard]] std::span<const DemoTool> flaky_demo_tools() noexcept;

}  // namespace holdfast::cli
