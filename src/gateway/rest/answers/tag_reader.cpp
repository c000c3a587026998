#include "rest/answers/tag_reader.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <iterator>
#include <utility>
#include <vector>

#include "base/counted.hpp"
#include "base/nearest_name.hpp"
#include "rest/json_path.hpp"

namespace holdfast::rest {
namespace {

constexpr std::string_view kClose = "}}";
constexpr std::string_view kBlanks = " \t\r\n";
constexpr std::string_view kNoWord = " \t\r\n|.?{}\"'#/!@";
constexpr std::size_t kMaxNumber = 100'000;
constexpr std::size_t kMaxDecimals = 10;

/// The arguments that a filter takes.
struct FilterForm {
    std::string_view name;
    Filter kind;
    bool takes_number = false;
    std::size_t min_texts = 0;
    std::size_t max_texts = 0;
};
constexpr std::array<FilterForm, 9> kForms = {{
    {.name = "cut", .kind = Filter::cut, .takes_number = true, .max_texts = 1},
    {.name = "join", .kind = Filter::join, .min_texts = 1, .max_texts = 1},
    {.name = "sort", .kind = Filter::sort, .max_texts = 1},
    {.name = "first", .kind = Filter::first, .takes_number = true},
    {.name = "count", .kind = Filter::count},
    {.name = "decimals", .kind = Filter::decimals, .takes_number = true},
    {.name = "plural", .kind = Filter::plural, .min_texts = 2, .max_texts = 2},
    {.name = "line", .kind = Filter::line},
    {.name = "or", .kind = Filter::otherwise, .min_texts = 1, .max_texts = 1},
}};

constexpr std::array<std::pair<std::string_view, Origin>, 4> kOrigins = {{
    {"item", Origin::item},
    {"answer", Origin::answer},
    {"arguments", Origin::arguments},
    {"number", Origin::number},
}};

/// Thread-safety: none.
class TagReader final {
public:
    TagReader(std::string_view text, std::size_t open)
        : text_(text), open_(open), position_(open + kClose.size()) {}

    resilience::Result<Tag, TemplateProblem> run() {
        skip_blanks();
        if (takes('!')) {
            read_comment();
        } else if (takes('/')) {
            tag_.kind = Tag::Kind::close;
            skip_blanks();
            read_name();
        } else if (takes('#')) {
            tag_.kind = Tag::Kind::section;
            skip_blanks();
            read_expression();
        } else if (const std::size_t start = position_; read_word() == "else" && is_at_end()) {
            tag_.kind = Tag::Kind::otherwise;
        } else {
            position_ = start;
            read_expression();
        }
        if (!problem_ && tag_.kind != Tag::Kind::comment) {
            read_end();
        }
        if (problem_) {
            return std::move(*problem_);
        }
        tag_.end = position_;
        return std::move(tag_);
    }

private:
    void refuse(std::size_t offset, std::string message) {
        if (!problem_) {
            problem_ = TemplateProblem{.offset = offset, .message = std::move(message)};
        }
    }
    void skip_blanks() {
        position_ = std::min(text_.find_first_not_of(kBlanks, position_), text_.size());
    }
    [[nodiscard]] char next() const { return position_ < text_.size() ? text_[position_] : '\0'; }
    bool takes(char wanted) {
        const bool is_next = position_ < text_.size() && text_[position_] == wanted;
        position_ += is_next ? 1 : 0;
        return is_next;
    }
    bool is_at_end() {
        skip_blanks();
        return text_.substr(position_).starts_with(kClose);
    }
    std::string_view read_word() {
        const std::size_t end = std::min(text_.find_first_of(kNoWord, position_), text_.size());
        const std::string_view word = text_.substr(position_, end - position_);
        position_ = end;
        return word;
    }

    void read_comment() {
        tag_.kind = Tag::Kind::comment;
        const std::size_t close = text_.find(kClose, position_);
        if (close == std::string_view::npos) {
            refuse(open_, "\"{{\" without \"}}\"");
            return;
        }
        position_ = close + kClose.size();
    }

    void read_end() {
        if (is_at_end()) {
            position_ += kClose.size();
        } else if (text_.find(kClose, position_) == std::string_view::npos) {
            refuse(open_, "\"{{\" without \"}}\"");
        } else {
            refuse(position_, "expected \"|\" or \"}}\"");
        }
    }

    void read_expression() {
        Expression& expression = tag_.expression;
        if (next() == '"' || next() == '\'') {
            expression.origin = Origin::literal;
            expression.literal = read_quoted();
        } else {
            read_name();
            tag_.is_optional = takes('?');
        }
        skip_blanks();
        while (!problem_ && takes('|')) {
            read_filter();
            skip_blanks();
        }
    }

    /// Reads a path; `tag_.name` becomes its text.
    void read_name() {
        const std::size_t start = position_;
        Expression& expression = tag_.expression;
        if (tag_.kind == Tag::Kind::close && is_at_end()) {
            return;
        }
        if (takes('@')) {
            read_origin(start);
        } else if (takes('.')) {
            tag_.name = ".";
            return;  // the item itself
        } else {
            expression.keys.push_back(read_key());
        }
        while (!problem_ && takes('.')) {
            expression.keys.push_back(read_key());
        }
        if (expression.keys.size() > JsonPath::kMaxKeys) {
            refuse(start, "more than " + std::to_string(JsonPath::kMaxKeys) + " keys in one path");
        }
        tag_.name = text_.substr(start, position_ - start);
    }

    void read_origin(std::size_t start) {
        const std::string_view word = read_word();
        const auto* const found =
            std::ranges::find(kOrigins, word, &std::pair<std::string_view, Origin>::first);
        if (found == kOrigins.end()) {
            refuse(start, "unknown name \"@" + std::string{word} +
                              "\"; expected @item, @answer, @arguments or @number");
            return;
        }
        tag_.expression.origin = found->second;
    }

    std::string read_key() {
        if (next() == '"' || next() == '\'') {
            return read_quoted();
        }
        const std::size_t start = position_;
        const std::string_view word = read_word();
        if (word.empty()) {
            refuse(start, position_ >= text_.size() ? "\"{{\" without \"}}\""
                                                    : "expected the name of a field");
        }
        return std::string{word};
    }

    std::string read_quoted() {
        const std::size_t start = position_;
        const char quote = text_[position_++];
        std::string text;
        while (position_ < text_.size() && text_[position_] != quote) {
            char one = text_[position_++];
            if (one == '\\' && position_ < text_.size()) {
                const char escaped = text_[position_++];
                one = escaped == 'n' ? '\n' : escaped == 't' ? '\t' : escaped;
            }
            text += one;
        }
        if (!takes(quote)) {
            refuse(start, "a quote is not closed");
        }
        return text;
    }

    void read_filter() {
        skip_blanks();
        const std::size_t start = position_;
        const std::string_view name = read_word();
        const auto* const form = std::ranges::find(kForms, name, &FilterForm::name);
        if (form == kForms.end()) {
            refuse_filter(start, name);
            return;
        }
        if (tag_.expression.filters.size() == AnswerTemplate::kMaxFilters) {
            refuse(start, "more than " + std::to_string(AnswerTemplate::kMaxFilters) +
                              " filters on one value");
            return;
        }
        FilterStep step{.kind = form->kind};
        skip_blanks();
        if (form->takes_number) {
            step.number = read_number(*form);
            skip_blanks();
        }
        while (!problem_ && (next() == '"' || next() == '\'')) {
            step.texts.push_back(read_quoted());
            skip_blanks();
        }
        if (step.texts.size() < form->min_texts || step.texts.size() > form->max_texts) {
            refuse(start, fmt::format("\"{}\" takes {}, not {}", name, texts_phrase(*form),
                                      step.texts.size()));
        }
        tag_.expression.filters.push_back(std::move(step));
    }

    static std::string texts_phrase(const FilterForm& form) {
        if (form.min_texts == form.max_texts) {
            return form.max_texts == 0 ? "no text"
                                       : base::counted(form.max_texts, "text") + " in quotes";
        }
        return "at most " + std::to_string(form.max_texts) + " text in quotes";
    }

    void refuse_filter(std::size_t start, std::string_view name) {
        std::vector<std::string_view> known;
        std::ranges::transform(kForms, std::back_inserter(known), &FilterForm::name);
        const auto meant = base::likely_name(name, known);
        refuse(start, meant
                          ? fmt::format("unknown filter \"{}\"; did you mean \"{}\"?", name, *meant)
                          : fmt::format("unknown filter \"{}\"", name));
    }

    std::size_t read_number(const FilterForm& form) {
        const std::size_t start = position_;
        const std::string_view word = read_word();
        const std::size_t max = form.kind == Filter::decimals ? kMaxDecimals : kMaxNumber;
        const std::size_t min = form.kind == Filter::decimals ? 0 : 1;
        std::size_t number = 0;
        const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
        if (word.empty() || error != std::errc{} || end != word.data() + word.size() ||
            number < min || number > max) {
            refuse(start, fmt::format("expected a number from {} to {} after \"{}\"", min, max,
                                      form.name));
        }
        return number;
    }

    const std::string_view text_;
    const std::size_t open_;
    std::size_t position_;
    Tag tag_;
    std::optional<TemplateProblem> problem_;
};

}  // namespace

resilience::Result<Tag, TemplateProblem> read_tag(std::string_view text, std::size_t open) {
    return TagReader{text, open}.run();
}

}  // namespace holdfast::rest
