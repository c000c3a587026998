#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <source_location>
#include <string>
#include <string_view>

namespace holdfast::test {

/// Expects that a text equals tests/golden/<name>.txt. Texts that people read are kept in such
/// files, so that a change of wording is one visible diff. A golden file ends with a newline, also
/// if the text does not.
///
/// With HOLDFAST_UPDATE_GOLDEN=1 in the environment the file is written instead; review the diff
/// before you commit it. Write the name as a literal: a test looks for files that no test names.
void expect_golden(std::string_view name, std::string_view text,
                   std::source_location caller = std::source_location::current());

/// The same for a set of texts by name, each in tests/golden/<folder>/<name>.txt. A file in the
/// folder without a text is a failure; an update removes it. For names that are computed.
void expect_golden_folder(std::string_view folder, const std::map<std::string, std::string>& texts,
                          std::source_location caller = std::source_location::current());

/// The files behind `expect_golden`.
///
/// Thread-safety: none.
class GoldenFiles final {
public:
    GoldenFiles(std::filesystem::path folder, bool is_updating);

    /// Returns what is wrong, with a diff; nothing if the text is as expected or was written.
    [[nodiscard]] std::optional<std::string> check(std::string_view name,
                                                   std::string_view text) const;
    /// Returns what is wrong with the texts, and names the files that have no text.
    [[nodiscard]] std::optional<std::string> check_folder(
        std::string_view folder, const std::map<std::string, std::string>& texts) const;

private:
    [[nodiscard]] std::filesystem::path path_of(std::string_view name) const;

    std::filesystem::path folder_;
    bool is_updating_;
};

/// The lines in which two texts differ: "- " expected, "+ " actual, "  " both, for up to three
/// lines around a difference.
[[nodiscard]] std::string line_diff(std::string_view expected, std::string_view actual);

}  // namespace holdfast::test
