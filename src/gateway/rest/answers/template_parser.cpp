#include "rest/answers/template_parser.hpp"

#include <algorithm>
#include <utility>

#include "rest/answers/tag_reader.hpp"

namespace holdfast::rest {
namespace {

constexpr std::string_view kOpen = "{{";
constexpr std::string_view kBlanksInLine = " \t\r";

bool is_blank(std::string_view text) {
    return text.find_first_not_of(kBlanksInLine) == std::string_view::npos;
}

/// Turns the tags and the text between them into steps.
///
/// Thread-safety: none.
class Parser final {
public:
    explicit Parser(std::string_view text) : text_(text) {}

    resilience::Result<Program, TemplateProblem> run() {
        while (!problem_ && position_ < text_.size()) {
            const std::size_t open = std::min(text_.find(kOpen, position_), text_.size());
            if (open == text_.size()) {
                add_text(text_.substr(position_));
                break;
            }
            take_tag(open);
        }
        if (!problem_ && !sections_.empty()) {
            const Section& last = sections_.back();
            refuse(last.offset, "the section \"" + last.name + "\" is not closed; expected {{/" +
                                    last.name + "}}");
        }
        if (problem_) {
            return std::move(*problem_);
        }
        return std::move(program_);
    }

private:
    struct Section {
        std::size_t step = 0;
        std::size_t offset = 0;
        std::string name = {};
        bool has_otherwise = false;
    };

    void refuse(std::size_t offset, std::string message) {
        if (!problem_) {
            problem_ = TemplateProblem{.offset = offset, .message = std::move(message)};
        }
    }

    void add_text(std::string_view text) {
        if (!text.empty()) {
            program_.steps.push_back({.kind = Step::Kind::text, .text = std::string{text}});
        }
    }

    void take_tag(std::size_t open) {
        if (++tags_ > AnswerTemplate::kMaxTags) {
            refuse(open,
                   "more than " + std::to_string(AnswerTemplate::kMaxTags) + " tags in one text");
            return;
        }
        auto tag = read_tag(text_, open);
        if (!tag) {
            refuse(tag.error().offset, std::move(tag.error().message));
            return;
        }
        std::size_t text_end = open;
        std::size_t next = tag->end;
        if (tag->kind != Tag::Kind::value) {
            drop_tag_line(text_end, next);
        }
        add_text(text_.substr(position_, text_end - position_));
        position_ = next;
        add(std::move(*tag), open);
    }

    /// Drops the whole line if it contains nothing but a tag that shows nothing.
    void drop_tag_line(std::size_t& text_end, std::size_t& next) const {
        const std::size_t break_before =
            text_end == 0 ? std::string_view::npos : text_.rfind('\n', text_end - 1);
        const std::size_t begin = break_before == std::string_view::npos ? 0 : break_before + 1;
        const std::size_t break_after = text_.find('\n', next);
        const std::size_t end = std::min(break_after, text_.size());
        if (begin < position_ || !is_blank(text_.substr(begin, text_end - begin)) ||
            !is_blank(text_.substr(next, end - next))) {
            return;
        }
        text_end = begin;
        next = break_after == std::string_view::npos ? text_.size() : break_after + 1;
    }

    void add(Tag tag, std::size_t open) {
        switch (tag.kind) {
            case Tag::Kind::comment:
                return;
            case Tag::Kind::value:
                note_field(tag);
                program_.steps.push_back(
                    {.kind = Step::Kind::value, .expression = std::move(tag.expression)});
                return;
            case Tag::Kind::section:
                begin_section(std::move(tag), open);
                return;
            case Tag::Kind::otherwise:
                begin_otherwise(open);
                return;
            case Tag::Kind::close:
                end_section(tag, open);
                return;
        }
    }

    void note_field(Tag& tag) {
        const Expression& expression = tag.expression;
        const bool has_default = std::ranges::any_of(
            expression.filters,
            [](const FilterStep& filter) { return filter.kind == Filter::otherwise; });
        const bool is_field =
            expression.origin == Origin::item || expression.origin == Origin::answer;
        if (!is_field || tag.is_optional || has_default || expression.keys.empty()) {
            return;
        }
        std::string name;
        if (expression.origin == Origin::item) {
            for (const Section& section : sections_) {
                name += section.name + "[].";
            }
        }
        for (const std::string& key : expression.keys) {
            name.append(name.empty() || name.ends_with('.') ? "" : ".").append(key);
        }
        const auto known = std::ranges::find(program_.fields, name);
        tag.expression.field = static_cast<std::size_t>(known - program_.fields.begin());
        if (known == program_.fields.end()) {
            program_.fields.push_back(std::move(name));
        }
    }

    void begin_section(Tag tag, std::size_t open) {
        if (sections_.size() == AnswerTemplate::kMaxNesting) {
            refuse(open, "sections are nested more than " +
                             std::to_string(AnswerTemplate::kMaxNesting) + " deep");
            return;
        }
        note_field(tag);
        sections_.push_back(
            {.step = program_.steps.size(), .offset = open, .name = std::move(tag.name)});
        program_.steps.push_back(
            {.kind = Step::Kind::section, .expression = std::move(tag.expression)});
    }

    void begin_otherwise(std::size_t open) {
        if (sections_.empty()) {
            refuse(open, "{{else}} outside of a section");
        } else if (std::exchange(sections_.back().has_otherwise, true)) {
            refuse(open, "a second {{else}} in the section \"" + sections_.back().name + "\"");
        } else {
            program_.steps[sections_.back().step].otherwise = program_.steps.size();
        }
    }

    void end_section(const Tag& tag, std::size_t open) {
        if (sections_.empty()) {
            refuse(open, "{{/" + tag.name + "}} closes no section");
            return;
        }
        const Section& section = sections_.back();
        if (!tag.name.empty() && tag.name != section.name) {
            refuse(open, "expected {{/" + section.name + "}}, not {{/" + tag.name + "}}");
            return;
        }
        Step& step = program_.steps[section.step];
        step.end = program_.steps.size();
        if (!section.has_otherwise) {
            step.otherwise = step.end;
        }
        sections_.pop_back();
    }

    const std::string_view text_;
    std::size_t position_ = 0;
    std::size_t tags_ = 0;
    Program program_;
    std::vector<Section> sections_;
    std::optional<TemplateProblem> problem_;
};

}  // namespace

resilience::Result<Program, TemplateProblem> parsed_program(std::string_view text) {
    if (text.size() > AnswerTemplate::kMaxBytes) {
        return TemplateProblem{
            .offset = AnswerTemplate::kMaxBytes,
            .message = "longer than " + std::to_string(AnswerTemplate::kMaxBytes) + " bytes"};
    }
    return Parser{text}.run();
}

}  // namespace holdfast::rest
