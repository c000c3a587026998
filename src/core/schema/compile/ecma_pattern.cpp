#include "schema/compile/ecma_pattern.hpp"

#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "schema/compile/ecma_escape.hpp"
#include "schema/compile/unicode_property.hpp"

// Translates the pattern from left to right into the syntax of RE2. Both languages mostly agree, so
// this handles the differences: white space and line ends are Unicode in ECMA, `[` is plain inside
// a class, and groups need no number because nothing can refer to them. A letter that ECMA does not
// define after a backslash often has a meaning for RE2 (\A, \Q, \C), so such escapes are rejected.

namespace holdfast::schema {
namespace {

constexpr std::string_view kSpaces =
    R"(\t\n\v\f\r \x{a0}\x{1680}\x{2000}-\x{200a}\x{2028}\x{2029}\x{202f}\x{205f}\x{3000}\x{feff})";
constexpr std::string_view kNotSpaces =
    R"(\x{0}-\x{8}\x{e}-\x{1f}\x{21}-\x{9f}\x{a1}-\x{167f}\x{1681}-\x{1fff}\x{200b}-\x{2027})"
    R"(\x{202a}-\x{202e}\x{2030}-\x{205e}\x{2060}-\x{2fff}\x{3001}-\x{fefe}\x{ff00}-\x{10ffff})";
constexpr std::string_view kSetLetters = "dDwWsSpP";
constexpr std::string_view kNotLineEnd = R"([^\n\r\x{2028}\x{2029}])";

class Translator {
public:
    explicit Translator(std::string_view pattern) : in_(pattern) {}

    resilience::Result<std::string, PatternRefusal> run() {
        while (at_ < in_.size() && refusal_.empty()) {
            element();
        }
        if (!refusal_.empty()) {
            return PatternRefusal{std::move(refusal_)};
        }
        return std::move(out_);
    }

private:
    void element() {
        const char next = in_[at_];
        switch (next) {
            case '\\':
                escape(false);
                return;
            case '[':
                character_class();
                return;
            case '(':
                group();
                return;
            case '.':
                out_ += kNotLineEnd;
                break;
            case '{':
                out_ += is_quantifier() ? "{" : "\\{";
                break;
            case ']':
                out_ += "\\]";
                break;
            default:
                out_ += next;
        }
        ++at_;
    }

    // Returns whether "{3}", "{3,}" or "{3,5}" begins here. Any other brace is a plain character.
    [[nodiscard]] bool is_quantifier() const {
        const std::size_t end = in_.find('}', at_);
        if (end == std::string_view::npos || end == at_ + 1 || in_[at_ + 1] == ',') {
            return false;
        }
        const std::string_view inside = in_.substr(at_ + 1, end - at_ - 1);
        return inside.find_first_not_of("0123456789,") == std::string_view::npos &&
               inside.find(',') == inside.rfind(',');
    }

    void group() {
        const std::string_view rest = in_.substr(at_);
        if (!rest.starts_with("(?")) {
            out_ += "(?:";
            ++at_;
        } else if (rest.starts_with("(?:")) {
            out_ += "(?:";
            at_ += 3;
        } else if (rest.starts_with("(?=") || rest.starts_with("(?!") || rest.starts_with("(?<=") ||
                   rest.starts_with("(?<!")) {
            refusal_ = "look-ahead and look-behind are not supported";
        } else if (rest.starts_with("(?<") && rest.find('>') != std::string_view::npos) {
            out_ += "(?:";
            at_ += rest.find('>') + 1;
        } else {
            refusal_ = "this kind of group is not supported";
        }
    }

    void character_class() {
        const std::string_view rest = in_.substr(at_);
        if (rest.starts_with("[]")) {
            out_ += R"([^\x{0}-\x{10ffff}])";
            at_ += 2;
            return;
        }
        if (rest.starts_with("[^]")) {
            out_ += "(?s:.)";
            at_ += 3;
            return;
        }
        out_ += '[';
        ++at_;
        if (at_ < in_.size() && in_[at_] == '^') {
            out_ += '^';
            ++at_;
        }
        while (at_ < in_.size() && in_[at_] != ']' && refusal_.empty()) {
            if (in_[at_] == '\\') {
                const std::size_t letter = at_ + 1;
                escape(true);
                // A set cannot begin a range: in [\w-.] the hyphen is a plain character.
                if (at_ < in_.size() && in_[at_] == '-' &&
                    kSetLetters.find(in_[letter]) != std::string_view::npos) {
                    out_ += "\\-";
                    ++at_;
                }
                continue;
            }
            if (in_[at_] == '[' || in_[at_] == '^') {
                out_ += '\\';
            }
            out_ += in_[at_++];
        }
        if (at_ >= in_.size()) {
            refuse("a character class has no end");
            return;
        }
        out_ += ']';
        ++at_;
    }

    void escape(bool is_in_class) {
        if (at_ + 1 >= in_.size()) {
            refuse("a backslash ends the pattern");
            return;
        }
        const char letter = in_[at_ + 1];
        at_ += 2;
        switch (letter) {
            case 's':
            case 'S':
                spaces(letter == 's', is_in_class);
                return;
            case 'p':
            case 'P':
                property(letter);
                return;
            case 'u':
            case 'x':
            case 'c':
            case '0':
                character(letter);
                return;
            case 'b':
            case 'B':
                boundary(letter, is_in_class);
                return;
            case 'd':
            case 'D':
            case 'w':
            case 'W':
            case 'f':
            case 'n':
            case 'r':
            case 't':
            case 'v':
                out_ += '\\';
                out_ += letter;
                return;
            default:
                other_escape(letter);
        }
    }

    void boundary(char letter, bool is_in_class) {
        if (is_in_class && letter == 'b') {
            code_point(8);
        } else if (is_in_class) {
            refuse(R"(\B inside a class is not defined)");
        } else {
            out_ += '\\';
            out_ += letter;
        }
    }

    void other_escape(char letter) {
        if ((letter >= '1' && letter <= '9') || letter == 'k') {
            refuse("back-references are not supported");
        } else if ((letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z')) {
            refuse(std::string{"the escape \\"} + letter + " is not defined");
        } else if (letter == '_' || static_cast<unsigned char>(letter) >= 0x80) {
            out_ += letter;
        } else {
            out_ += '\\';
            out_ += letter;
        }
    }

    void spaces(bool is_positive, bool is_in_class) {
        if (is_in_class) {
            out_ += is_positive ? kSpaces : kNotSpaces;
            return;
        }
        out_ += is_positive ? "[" : "[^";
        out_ += kSpaces;
        out_ += ']';
    }

    void property(char letter) {
        const std::size_t end = in_.find('}', at_);
        if (at_ >= in_.size() || in_[at_] != '{' || end == std::string_view::npos) {
            refuse("a Unicode property has no braces");
            return;
        }
        const std::string name = re2_property(in_.substr(at_ + 1, end - at_ - 1));
        if (name.empty()) {
            refuse("a Unicode property is not supported");
            return;
        }
        out_ += '\\';
        out_ += letter;
        out_ += '{' + name + '}';
        at_ = end + 1;
    }

    void character(char letter) {
        const EscapedCharacter read = read_escape(letter, in_.substr(at_));
        if (!read.refusal.empty()) {
            refuse(std::string{read.refusal});
            return;
        }
        code_point(read.code);
        at_ += read.size_bytes;
    }

    void code_point(std::uint32_t code) {
        std::array<char, 8> digits{};
        const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), code, 16).ptr;
        out_ += "\\x{";
        out_.append(digits.data(), end);
        out_ += '}';
    }

    void refuse(std::string reason) { refusal_ = std::move(reason); }

    std::string_view in_;
    std::size_t at_ = 0;
    std::string out_;
    std::string refusal_;
};

}  // namespace

resilience::Result<std::string, PatternRefusal> to_re2_syntax(std::string_view pattern) {
    return Translator{pattern}.run();
}

}  // namespace holdfast::schema
