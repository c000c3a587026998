#include "support/golden.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <system_error>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace holdfast::test {
namespace {

constexpr std::size_t kContextLines = 3;

struct DiffLine {
    char sign;
    std::string_view text;
};

std::vector<std::string_view> lines_of(std::string_view text) {
    std::vector<std::string_view> lines;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        lines.push_back(text.substr(0, end));
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return lines;
}

/// Follows the longest common subsequence of the lines.
std::vector<DiffLine> compared(const std::vector<std::string_view>& expected,
                               const std::vector<std::string_view>& actual) {
    const std::size_t width = actual.size() + 1;
    std::vector<std::size_t> common((expected.size() + 1) * width, 0);
    for (std::size_t i = expected.size(); i-- > 0;) {
        for (std::size_t j = actual.size(); j-- > 0;) {
            common[i * width + j] = expected[i] == actual[j] ? common[(i + 1) * width + j + 1] + 1
                                                             : std::max(common[(i + 1) * width + j],
                                                                        common[i * width + j + 1]);
        }
    }
    std::vector<DiffLine> diff;
    std::size_t i = 0;
    std::size_t j = 0;
    while (i < expected.size() || j < actual.size()) {
        const bool has_both = i < expected.size() && j < actual.size();
        if (has_both && expected[i] == actual[j]) {
            diff.push_back({' ', expected[i++]});
            ++j;
        } else if (j == actual.size() ||
                   (has_both && common[(i + 1) * width + j] >= common[i * width + j + 1])) {
            diff.push_back({'-', expected[i++]});
        } else {
            diff.push_back({'+', actual[j++]});
        }
    }
    return diff;
}

bool is_near_change(const std::vector<DiffLine>& diff, std::size_t index) {
    const std::size_t begin = index - std::min(index, kContextLines);
    const std::size_t end = std::min(index + kContextLines + 1, diff.size());
    return std::any_of(diff.begin() + static_cast<std::ptrdiff_t>(begin),
                       diff.begin() + static_cast<std::ptrdiff_t>(end),
                       [](const DiffLine& line) { return line.sign != ' '; });
}

std::string with_newline(std::string_view text) {
    std::string whole{text};
    if (!whole.ends_with('\n')) {
        whole += '\n';
    }
    return whole;
}

std::optional<std::string> content_of(const std::filesystem::path& path) {
    std::ifstream file{path, std::ios::binary};
    if (!file) {
        return std::nullopt;
    }
    return std::string{std::istreambuf_iterator<char>{file}, std::istreambuf_iterator<char>{}};
}

GoldenFiles golden_files() {
    const char* update = std::getenv("HOLDFAST_UPDATE_GOLDEN");
    return {HOLDFAST_GOLDEN_FOLDER, update != nullptr && std::string_view{update} == "1"};
}

void report(const std::optional<std::string>& problem, const std::source_location& caller) {
    if (problem) {
        ADD_FAILURE_AT(caller.file_name(), static_cast<int>(caller.line())) << *problem;
    }
}

}  // namespace

std::string line_diff(std::string_view expected, std::string_view actual) {
    const std::vector<DiffLine> diff = compared(lines_of(expected), lines_of(actual));
    std::string text;
    bool is_gap = false;
    for (std::size_t index = 0; index < diff.size(); ++index) {
        if (!is_near_change(diff, index)) {
            is_gap = true;
            continue;
        }
        if (std::exchange(is_gap, false)) {
            text += "...\n";
        }
        text += diff[index].sign;
        text += ' ';
        text += diff[index].text;
        text += '\n';
    }
    return text;
}

GoldenFiles::GoldenFiles(std::filesystem::path folder, bool is_updating)
    : folder_(std::move(folder)), is_updating_(is_updating) {}

std::optional<std::string> GoldenFiles::check(std::string_view name, std::string_view text) const {
    const std::filesystem::path path = path_of(name);
    const std::string actual = with_newline(text);
    const std::optional<std::string> expected = content_of(path);
    if (expected == actual) {
        return std::nullopt;
    }
    if (is_updating_) {
        std::error_code failed;  // then the file cannot be opened either
        std::filesystem::create_directories(path.parent_path(), failed);
        std::ofstream file{path, std::ios::binary | std::ios::trunc};
        file << actual << std::flush;
        return file ? std::nullopt : std::optional{path.string() + " cannot be written"};
    }
    const std::string advice = "run this test with HOLDFAST_UPDATE_GOLDEN=1 to write it";
    if (!expected) {
        return path.string() + " is missing; " + advice + ":\n" + actual;
    }
    return "the text differs from " + path.string() + " (- file, + actual); if that is intended, " +
           advice + ":\n" + line_diff(*expected, actual);
}

std::optional<std::string> GoldenFiles::check_folder(
    std::string_view folder, const std::map<std::string, std::string>& texts) const {
    std::string problems;
    for (const auto& [name, text] : texts) {
        if (const auto problem = check(std::string{folder} + "/" + name, text)) {
            problems += *problem + "\n";
        }
    }
    std::error_code missing;  // without a folder there is no file in it
    std::vector<std::filesystem::path> unused;
    for (const auto& entry : std::filesystem::directory_iterator{folder_ / folder, missing}) {
        if (!texts.contains(entry.path().stem().string())) {
            unused.push_back(entry.path());
        }
    }
    for (const std::filesystem::path& path : unused) {
        if (is_updating_) {
            std::filesystem::remove(path);
        } else {
            problems += path.string() + " has no text any more; remove it\n";
        }
    }
    return problems.empty() ? std::nullopt : std::optional{problems};
}

std::filesystem::path GoldenFiles::path_of(std::string_view name) const {
    return folder_ / (std::string{name} + ".txt");
}

void expect_golden(std::string_view name, std::string_view text, std::source_location caller) {
    report(golden_files().check(name, text), caller);
}

void expect_golden_folder(std::string_view folder, const std::map<std::string, std::string>& texts,
                          std::source_location caller) {
    report(golden_files().check_folder(folder, texts), caller);
}

}  // namespace holdfast::test
