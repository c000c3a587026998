#include "rest/answers/template_renderer.hpp"

#include <algorithm>
#include <charconv>
#include <string>
#include <utility>

#include "base/text_cut.hpp"
#include "rest/answers/template_value.hpp"

namespace holdfast::rest {
namespace {

namespace json = boost::json;

constexpr std::string_view kCutNote =
    "\n[Text cut at the size limit. structuredContent has the whole answer.]";

/// The values that the steps of a section refer to.
struct Scope {
    const json::value* item = nullptr;
    std::size_t number = 0;  ///< Position of the item, starting at 1; 0 = not an item of a list.
};

/// The value at the end of a path.
struct Found {
    const json::value* value = nullptr;
    bool is_missing = false;  ///< An object or list along the path lacks the key.
};

const json::value* member_of(const json::value& parent, const std::string& key) {
    if (const auto* const object = parent.if_object()) {
        return object->if_contains(key);
    }
    const auto* const list = parent.if_array();
    std::size_t index = 0;
    const auto [end, error] = std::from_chars(key.data(), key.data() + key.size(), index);
    const bool is_index = error == std::errc{} && end == key.data() + key.size();
    return list == nullptr || !is_index ? nullptr : list->if_contains(index);
}

Found found_at(const json::value* value, const std::vector<std::string>& keys) {
    for (const std::string& key : keys) {
        if (value == nullptr || value->is_null()) {
            return {};  // An explicit null is a value, not a missing field.
        }
        value = member_of(*value, key);
        if (value == nullptr) {
            return {.is_missing = true};
        }
    }
    return {.value = value};
}

/// Thread-safety: none.
class Renderer final {
public:
    Renderer(const Program& program, const json::value& answer, const json::value* arguments,
             const RenderLimits& limits)
        : program_(program),
          answer_(&answer),
          arguments_(arguments),
          max_bytes_(limits.max_output_bytes),
          budget_(limits.max_work),
          is_missing_(program.fields.size(), false) {}

    RenderedText run() {
        run_steps(0, program_.steps.size(), {.item = answer_});
        RenderedText rendered{.is_cut = is_full_ || budget_.is_used_up()};
        rendered.text = std::move(out_);
        if (rendered.is_cut) {
            const std::size_t kept = max_bytes_ - std::min(max_bytes_, kCutNote.size());
            rendered.text.resize(base::beginning_of(rendered.text, kept).size());
            rendered.text += kCutNote;
        }
        rendered.text.erase(rendered.text.find_last_not_of(" \t\r\n") + 1);
        for (std::size_t index = 0; index < is_missing_.size(); ++index) {
            if (is_missing_[index]) {
                rendered.missing.push_back(index);
            }
        }
        return rendered;
    }

private:
    [[nodiscard]] bool is_stopped() const noexcept { return is_full_ || budget_.is_used_up(); }

    void append(std::string_view text) {
        budget_.spend_text(text.size());
        const std::size_t space = max_bytes_ - out_.size();
        is_full_ = is_full_ || text.size() > space;
        out_ += base::beginning_of(text, space);
    }

    // Recurses once per enclosing section; the parser limits the nesting.
    void run_steps(std::size_t begin, std::size_t end, const Scope& scope) {
        for (std::size_t index = begin; index < end && !is_stopped(); ++index) {
            const Step& step = program_.steps[index];
            budget_.spend(1);
            if (step.kind == Step::Kind::text) {
                append(step.text);
            } else if (step.kind == Step::Kind::value) {
                append(shown_text(value_of(step.expression, scope), max_bytes_));
            } else {
                run_section(index, scope);
                index = step.end - 1;
            }
        }
    }

    void run_section(std::size_t index, const Scope& scope) {
        const Step& step = program_.steps[index];
        const TemplateValue value = value_of(step.expression, scope);
        if (is_empty(value)) {
            run_steps(step.otherwise, step.end, scope);
            return;
        }
        if (const auto items = items_in(value, budget_)) {
            std::size_t number = 0;
            for (const json::value* const item : *items) {
                if (is_stopped()) {
                    return;
                }
                run_steps(index + 1, step.otherwise, {.item = item, .number = ++number});
            }
            return;
        }
        const auto* const part = std::get_if<const json::value*>(&value);
        Scope inner = scope;
        if (part != nullptr && (*part)->is_object()) {
            inner.item = *part;
        }
        run_steps(index + 1, step.otherwise, inner);
    }

    TemplateValue value_of(const Expression& expression, const Scope& scope) {
        TemplateValue value = start_of(expression, scope);
        for (const FilterStep& filter : expression.filters) {
            value = filtered(std::move(value), filter, max_bytes_, budget_);
            if (budget_.is_used_up()) {
                // A half-filtered value could exceed the length that the template allows.
                return {};
            }
        }
        return value;
    }

    TemplateValue start_of(const Expression& expression, const Scope& scope) {
        const json::value* root = scope.item;
        switch (expression.origin) {
            case Origin::literal:
                return expression.literal;
            case Origin::number:
                return scope.number == 0 ? std::string{} : std::to_string(scope.number);
            case Origin::answer:
                root = answer_;
                break;
            case Origin::arguments:
                root = arguments_;
                break;
            case Origin::item:
                break;
        }
        const Found found = found_at(root, expression.keys);
        if (found.is_missing && expression.field) {
            is_missing_[*expression.field] = true;
        }
        return found.value == nullptr ? TemplateValue{} : TemplateValue{found.value};
    }

    const Program& program_;
    const json::value* const answer_;
    const json::value* const arguments_;
    const std::size_t max_bytes_;
    WorkBudget budget_;
    std::string out_;
    bool is_full_ = false;
    std::vector<bool> is_missing_;
};

}  // namespace

RenderedText rendered_program(const Program& program, const json::value& answer,
                              const json::value* arguments, const RenderLimits& limits) {
    return Renderer{program, answer, arguments, limits}.run();
}

}  // namespace holdfast::rest
