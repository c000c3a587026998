#include "base/cause_line.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

#include "base/text_cut.hpp"

namespace holdfast::base {
namespace {

constexpr std::size_t kMaxBytes = 300;
constexpr std::size_t kMaxLines = 1'000;

bool is_word(char letter) {
    return std::isalnum(static_cast<unsigned char>(letter)) != 0 || letter == '_';
}

bool is_digit(char letter) {
    return letter >= '0' && letter <= '9';
}

std::string lower(std::string_view text) {
    std::string result{text};
    std::ranges::transform(result, result.begin(), [](char letter) {
        return static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
    });
    return result;
}

template <std::size_t Size>
bool starts_with_any(std::string_view text, const std::array<std::string_view, Size>& starts) {
    return std::ranges::any_of(starts,
                               [text](std::string_view start) { return text.starts_with(start); });
}

template <std::size_t Size>
bool has_any(std::string_view text, const std::array<std::string_view, Size>& parts) {
    return std::ranges::any_of(
        parts, [text](std::string_view part) { return text.find(part) != std::string_view::npos; });
}

/// Removes escape sequences of terminals and other control characters.
std::string without_controls(std::string_view line) {
    std::string text;
    for (std::size_t index = 0; index < line.size(); ++index) {
        if (line[index] == '\x1b' && index + 1 < line.size() && line[index + 1] == '[') {
            index += 2;
            while (index < line.size() && (line[index] < '@' || line[index] > '~')) {
                ++index;
            }
        } else if (static_cast<unsigned char>(line[index]) >= 0x20 || line[index] == '\t') {
            text += line[index];
        }
    }
    return text;
}

/// Removes spaces, and what programs draw around their lines.
std::string_view core_of(std::string_view line) {
    constexpr std::array<std::string_view, 8> kDrawings = {" ",   "\t", "|",   "×",
                                                           "╰─▶", "│",  "├─▶", "├"};
    for (bool is_cut = true; is_cut;) {
        is_cut = false;
        for (const std::string_view drawing : kDrawings) {
            if (line.starts_with(drawing)) {
                line.remove_prefix(drawing.size());
                is_cut = true;
            }
        }
    }
    while (!line.empty() && (line.back() == ' ' || line.back() == '\t')) {
        line.remove_suffix(1);
    }
    return line;
}

/// `/x/y.js:12`, `file:///x/y.js:12`, `x.go:12 +0x1d`.
bool is_position(std::string_view line) {
    const std::size_t end = line.find(" +0x");
    const std::string_view place = line.substr(0, end);
    const std::size_t colon = place.rfind(':');
    return colon != std::string_view::npos && colon + 1 < place.size() &&
           place.find(' ') == std::string_view::npos &&
           std::ranges::all_of(place.substr(colon + 1), is_digit);
}

/// `main.main()` and the like, which Go prints above a position.
bool is_bare_call(std::string_view line) {
    const std::size_t bracket = line.find('(');
    return line.ends_with(')') && bracket != std::string_view::npos && bracket > 0 &&
           line.substr(0, bracket).find(' ') == std::string_view::npos &&
           line.substr(0, bracket).find('.') != std::string_view::npos;
}

bool is_numbered(std::string_view line) {
    const std::size_t digits = line.find_first_not_of("0123456789");
    return digits != 0 && digits != std::string_view::npos && line.substr(digits).starts_with(": ");
}

/// Lines that state nothing: stack frames, notices, progress, advice.
bool is_noise(std::string_view line) {
    constexpr std::array<std::string_view, 45> kStarts = {"at ",
                                                          "File \"",
                                                          "npm notice",
                                                          "npm warn",
                                                          "npm WARN",
                                                          "npm http",
                                                          "npm info",
                                                          "npm verb",
                                                          "npm timing",
                                                          "Node.js v",
                                                          "Bun v",
                                                          "note: ",
                                                          "stack backtrace",
                                                          "goroutine ",
                                                          "created by ",
                                                          "exit status ",
                                                          "Traceback (",
                                                          "During handling",
                                                          "The above exception",
                                                          "throw ",
                                                          "code: '",
                                                          "errno: ",
                                                          "syscall: '",
                                                          "address: '",
                                                          "port: ",
                                                          "requireStack:",
                                                          "path: '",
                                                          "spawnargs:",
                                                          "node:internal",
                                                          "(node:",
                                                          "(Use `node",
                                                          "See '",
                                                          "Run 'docker",
                                                          "For more inf",
                                                          "For further inf",
                                                          "Usage:",
                                                          "usage:",
                                                          "Installed ",
                                                          "Resolved ",
                                                          "Prepared ",
                                                          "Downloading ",
                                                          "Downloaded ",
                                                          "Building ",
                                                          "Built ",
                                                          "[signal "};
    constexpr std::array<std::string_view, 3> kParts = {"A complete log of this run",
                                                        "Warning: ", "--trace-warnings"};
    const bool is_drawing = std::ranges::none_of(line, is_word);
    const bool is_count_of_frames = line.starts_with("... ") && line.ends_with(" more");
    return is_drawing || is_count_of_frames || starts_with_any(line, kStarts) ||
           has_any(line, kParts) || is_position(line) || is_bare_call(line);
}

/// The lines that may state the cause, in order.
std::vector<std::string> statements(std::span<const std::string> lines) {
    std::vector<std::string> kept;
    bool was_python_frame = false;
    bool is_backtrace = false;
    for (const std::string& raw : lines.last(std::min(lines.size(), kMaxLines))) {
        const std::string text = without_controls(raw);
        const std::string_view line = core_of(text);
        const bool is_source = was_python_frame && text.starts_with("    ");
        was_python_frame = line.starts_with("File \"");
        is_backtrace = is_backtrace ? is_numbered(line) || line.starts_with("at ")
                                    : line.starts_with("stack backtrace");
        if (!is_source && !is_backtrace && !is_noise(line)) {
            kept.emplace_back(line);
        }
    }
    return kept;
}

std::optional<std::string_view> npm_complaint(std::string_view line) {
    for (const std::string_view start : {"npm error ", "npm ERR! "}) {
        if (line.starts_with(start)) {
            return core_of(line.substr(start.size()));
        }
    }
    return std::nullopt;
}

/// Returns the first complaint of npm that is not one of its many details.
std::optional<std::size_t> find_npm_cause(const std::vector<std::string>& lines) {
    constexpr std::array<std::string_view, 10> kDetails = {
        "code ",    "syscall ",    "path ",    "dest ",   "errno ",
        "404 Note", "404 tarball", "command ", "signal ", "cwd "};
    std::optional<std::size_t> code;
    for (std::size_t index = 0; index < lines.size(); ++index) {
        const auto complaint = npm_complaint(lines[index]);
        if (!complaint || complaint->empty() || *complaint == "404") {
            continue;
        }
        if (!starts_with_any(*complaint, kDetails)) {
            return index;
        }
        if (!code && complaint->starts_with("code ")) {
            code = index;
        }
    }
    return code;
}

/// Whether a name such as `Error`, `a.b.KeyError` or `IOException` ends at `end`.
bool has_error_name(std::string_view line, std::size_t end) {
    std::size_t begin = end;
    while (begin > 0 &&
           (is_word(line[begin - 1]) || line[begin - 1] == '.' || line[begin - 1] == '$')) {
        --begin;
    }
    const std::string_view name = line.substr(begin, end - begin);
    const bool stands_alone = begin == 0 || line[begin - 1] == ' ' || line[begin - 1] == '(';
    constexpr std::array<std::string_view, 5> kEnds = {"Error", "Exception", "Interrupt", "Exit",
                                                       "ExceptionGroup"};
    return stands_alone && std::ranges::any_of(kEnds, [name](std::string_view ending) {
               return name.ends_with(ending);
           });
}

/// `Error: …`, `TypeError [CODE]: …`, `a.b.KeyError: …`, `… (LoadError)`, `KeyboardInterrupt`.
bool is_exception(std::string_view line) {
    for (std::size_t colon = line.find(':'); colon != std::string_view::npos;
         colon = line.find(':', colon + 1)) {
        std::size_t end = colon;
        if (end > 0 && line[end - 1] == ']') {
            const std::size_t bracket = line.rfind(" [", end);
            end = bracket == std::string_view::npos ? end : bracket;
        }
        if (has_error_name(line, end)) {
            return true;
        }
    }
    const bool is_in_brackets = line.ends_with(')') && has_error_name(line, line.size() - 1);
    return is_in_brackets || has_error_name(line, line.size());
}

bool is_panic(std::string_view line) {
    return line.starts_with("panic: ") || line.find("panicked at") != std::string_view::npos;
}

/// `fatal` or `error` at the start, behind a time or the name of a program.
bool is_complaint(std::string_view line) {
    const std::string text = lower(line);
    if (text.find("level=fatal") != std::string::npos ||
        text.find("level=error") != std::string::npos) {
        return true;
    }
    for (const std::string_view word : {"fatal", "error", "fata["}) {
        const std::size_t found = text.find(word);
        if (found == std::string::npos) {
            continue;
        }
        const std::string_view head = std::string_view{text}.substr(0, found);
        const bool is_time =
            head.find_first_not_of("0123456789 :/-.,+tz[]()<>=\"") == std::string_view::npos;
        const bool is_program = head.ends_with(": ") && head.find(' ') == head.size() - 1;
        if (is_time || is_program || head == "php ") {
            return true;
        }
    }
    return false;
}

bool is_lack(std::string_view line) {
    constexpr std::array<std::string_view, 15> kParts = {
        "is required",  "are required",   "is missing",        "missing ",
        "not set",      "must be set",    "must provide",      "must be provided",
        "not found",    "no such file",   "permission denied", "cannot execute",
        "not provided", "cannot connect", "can't locate"};
    return has_any(lower(line), kParts);
}

bool has_system_error(std::string_view line) {
    constexpr std::array<std::string_view, 9> kCodes = {"EADDRINUSE", "ECONNREFUSED", "ENOENT",
                                                        "EACCES",     "EPERM",        "ENOTFOUND",
                                                        "ETIMEDOUT",  "ECONNRESET",   "ENOSPC"};
    return has_any(line, kCodes);
}

std::optional<std::size_t> find_last(const std::vector<std::string>& lines,
                                     bool (*matches)(std::string_view)) {
    for (std::size_t index = lines.size(); index > 0; --index) {
        if (matches(lines[index - 1])) {
            return index - 1;
        }
    }
    return std::nullopt;
}

std::optional<std::size_t> find_cause(const std::vector<std::string>& lines) {
    if (const auto found = find_npm_cause(lines)) {
        return found;
    }
    for (const auto matches : {is_exception, is_panic, is_complaint, is_lack, has_system_error}) {
        if (const auto found = find_last(lines, matches)) {
            return found;
        }
    }
    return lines.empty() ? std::nullopt : std::optional{lines.size() - 1};
}

}  // namespace

std::string cause_line(std::span<const std::string> lines) {
    const std::vector<std::string> candidates = statements(lines);
    const auto found = find_cause(candidates);
    if (!found) {
        return {};
    }
    std::string cause = candidates[*found];
    // Some programs write what follows the colon on the next line.
    if (cause.ends_with(':') && *found + 1 < candidates.size()) {
        cause += " " + candidates[*found + 1];
    }
    return std::string{beginning_of(cause, kMaxBytes)};
}

}  // namespace holdfast::base
