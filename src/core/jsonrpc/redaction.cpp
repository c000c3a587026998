#include "jsonrpc/redaction.hpp"

#include <algorithm>

#include "base/secret.hpp"
#include "base/text_cut.hpp"
#include "jsonrpc/json_text.hpp"

namespace holdfast::jsonrpc {
namespace {

constexpr std::string_view kCut = R"("[cut]")";
constexpr std::string_view kSpace = " \t\r\n";

std::size_t longest_of(std::span<const std::string> secrets) {
    const auto longest = std::ranges::max_element(secrets, {}, &std::string::size);
    return longest == secrets.end() ? 0 : longest->size();
}

/// Reads a JSON text token by token. Invalid JSON makes it reach the end early, never read past it.
///
/// Thread-safety: none.
class Cursor final {
public:
    explicit Cursor(std::string_view json) : rest_(json) {}

    /// Returns the next character that is not a space, or a null character at the end.
    [[nodiscard]] char peek() {
        rest_.remove_prefix(std::min(rest_.find_first_not_of(kSpace), rest_.size()));
        return rest_.empty() ? '\0' : rest_.front();
    }
    [[nodiscard]] bool is_at_end() const noexcept { return rest_.empty(); }

    bool take(char wanted) {
        const bool is_there = peek() == wanted && !rest_.empty();
        rest_.remove_prefix(is_there ? 1 : 0);
        return is_there;
    }

    /// Removes a string with its quotes, a number or a literal. Requires that the next character is
    /// not a bracket.
    std::string_view take_scalar() {
        const std::size_t size = peek() == '"' ? string_size() : plain_size();
        const std::string_view scalar = rest_.substr(0, size);
        rest_.remove_prefix(scalar.size());
        return scalar;
    }

    void skip_value() {
        std::size_t depth = 0;
        do {
            const char next = peek();
            if (next == '{' || next == '[') {
                ++depth;
                rest_.remove_prefix(1);
            } else if (next == '}' || next == ']') {
                depth -= std::min<std::size_t>(depth, 1);
                rest_.remove_prefix(1);
            } else if (next == ',' || next == ':') {
                rest_.remove_prefix(1);
            } else {
                take_scalar();
            }
        } while (depth > 0 && !rest_.empty());
    }

private:
    [[nodiscard]] std::size_t string_size() const {
        std::size_t at = rest_.find_first_of("\"\\", 1);
        while (at < rest_.size() && rest_[at] == '\\') {
            at = rest_.find_first_of("\"\\", at + 2);
        }
        return at < rest_.size() ? at + 1 : rest_.size();
    }
    [[nodiscard]] std::size_t plain_size() const {
        return std::min(rest_.find_first_of(" \t\r\n,:]}"), rest_.size());
    }

    std::string_view rest_;
};

/// Writes the redacted form of a value.
///
/// Thread-safety: none.
class Redaction final {
public:
    Redaction(std::string_view json, std::span<const std::string> secrets,
              const RedactionLimits& limits)
        : cursor_(json),
          secrets_(secrets),
          limits_(limits),
          window_bytes_(limits.max_string_bytes + longest_of(secrets)) {}

    [[nodiscard]] std::string text() {
        write_value(0);
        return std::move(out_);
    }

private:
    void write_value(std::size_t depth) {
        const char next = cursor_.peek();
        if (next != '{' && next != '[') {
            write_scalar(cursor_.take_scalar());
        } else if (depth == limits_.max_depth) {
            cursor_.skip_value();
            out_ += kCut;
        } else {
            write_inside(next, depth + 1);
        }
    }

    void write_inside(char open, std::size_t depth) {
        const char close = open == '{' ? '}' : ']';
        cursor_.take(open);
        out_ += open;
        for (bool is_first = true; !is_cut_ && !cursor_.is_at_end(); is_first = false) {
            if (cursor_.take(close)) {
                break;
            }
            cursor_.take(',');
            out_ += is_first ? "" : ",";
            if (out_.size() >= limits_.max_bytes) {
                is_cut_ = true;
                out_.append(open == '{' ? R"("…":)" : "").append(kCut);
            } else if (open == '{') {
                write_member(depth);
            } else {
                write_value(depth);
            }
        }
        out_ += close;
    }

    void write_member(std::size_t depth) {
        const std::string_view key = cursor_.take_scalar();
        write_scalar(key);
        out_ += ':';
        cursor_.take(':');
        const char next = cursor_.peek();
        // Booleans and null under such a key are not secrets.
        const bool may_be_secret = next != 't' && next != 'f' && next != 'n';
        if (may_be_secret && base::is_secret_name(said(key))) {
            cursor_.skip_value();
            append_quoted(out_, base::kRedacted);
        } else {
            write_value(depth);
        }
    }

    void write_scalar(std::string_view scalar) {
        const bool is_string = scalar.starts_with('"');
        if (!is_string) {
            base::has_secret(scalar, secrets_) ? append_quoted(out_, base::kRedacted)
                                               : write_cut(scalar);
            return;
        }
        const bool fits = scalar.size() <= limits_.max_string_bytes + 2;
        const std::string text = said(scalar);
        // Every secret that begins in the shown part ends within the window.
        const std::string_view window = base::beginning_of(text, window_bytes_);
        if (fits && !base::has_secret(window, secrets_)) {
            out_ += scalar;
            return;
        }
        const std::string shown = base::without_secrets(window, secrets_);
        const std::string_view part = base::beginning_of(shown, limits_.max_string_bytes);
        const bool is_whole = part.size() == shown.size() && window.size() == text.size();
        append_quoted(out_, std::string{part} + (is_whole ? "" : "…"));
    }

    // Cuts a number, which may have any number of digits.
    void write_cut(std::string_view scalar) {
        const bool fits = scalar.size() <= limits_.max_string_bytes;
        fits ? out_.append(scalar) : out_.append(kCut);
    }

    [[nodiscard]] static std::string said(std::string_view string_text) {
        return string_text.size() >= 2 ? decoded(string_text) : std::string{};
    }

    Cursor cursor_;
    const std::span<const std::string> secrets_;
    const RedactionLimits limits_;
    const std::size_t window_bytes_;  // the part of a string that is searched for secrets
    std::string out_;
    bool is_cut_ = false;
};

}  // namespace

std::string redacted(std::string_view json, std::span<const std::string> secrets,
                     const RedactionLimits& limits) {
    return Redaction{json, secrets, limits}.text();
}

bool holds_secret(std::string_view json, std::span<const std::string> secrets) {
    if (secrets.empty()) {
        return false;
    }
    if (json.find('\\') == std::string_view::npos) {
        return base::has_secret(json, secrets);
    }
    Cursor cursor{json};
    while (cursor.peek() != '\0') {
        const bool is_scalar = std::string_view{"{}[],:"}.find(cursor.peek()) == std::string::npos;
        if (!is_scalar) {
            cursor.take(cursor.peek());
            continue;
        }
        const std::string_view scalar = cursor.take_scalar();
        const bool has_text = scalar.starts_with('"') && scalar.size() >= 2;
        if (has_text ? base::has_secret(decoded(scalar), secrets)
                     : base::has_secret(scalar, secrets)) {
            return true;
        }
    }
    return false;
}

}  // namespace holdfast::jsonrpc
