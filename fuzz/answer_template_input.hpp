#pragma once

#include <cstddef>
#include <cstdlib>
#include <string>
#include <string_view>

#include "base/text_cut.hpp"
#include "rest/answer_template.hpp"
#include "rest/json_path.hpp"

namespace holdfast::fuzz {

/// Renders one input: the template up to a line with `---`, then an answer. Aborts when a promise
/// of the templates is broken.
inline void run_answer_template_input(std::string_view input) {
    constexpr std::string_view kSeparator = "\n---\n";
    const std::size_t end = input.find(kSeparator);
    const std::string_view text = input.substr(0, end);
    const auto parsed = rest::AnswerTemplate::parsed(text);
    if (!parsed) {
        if (parsed.error().message.empty() || parsed.error().offset > text.size()) {
            std::abort();
        }
        return;
    }
    if (end == std::string_view::npos) {
        return;
    }
    const std::string_view answer = input.substr(end + kSeparator.size());
    if (!rest::JsonText::checked(answer)) {
        return;
    }
    const rest::RenderLimits limits{.max_output_bytes = 2'000, .max_work = 20'000};
    const auto rendered = parsed->rendered(answer, answer, limits);
    if (!rendered) {
        return;
    }
    const bool is_cut_within_character =
        !rendered->text.empty() && base::continues_character(rendered->text.front());
    if (rendered->text.size() > limits.max_output_bytes || is_cut_within_character) {
        std::abort();
    }
    for (const std::size_t missing : rendered->missing) {
        if (missing >= parsed->fields().size()) {
            std::abort();
        }
    }
}

}  // namespace holdfast::fuzz
