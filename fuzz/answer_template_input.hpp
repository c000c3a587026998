#pragma once

#include <cstddef>
#include <cstdlib>
#include <string>
#include <string_view>

#include "base/utf8.hpp"
#include "rest/answer_template.hpp"
#include "rest/json_path.hpp"

namespace holdfast::fuzz {

inline bool is_utf8(std::string_view text) {
    return base::valid_utf8_bytes(text) == text.size();
}

/// Renders one input: the template up to a line with `---`, then an answer. Aborts if the templates
/// break a promise.
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
    // Earlier checks have ensured that configs and answers are UTF-8.
    if (!is_utf8(text) || !rest::JsonText::checked(answer)) {
        return;
    }
    const rest::RenderLimits limits{.max_output_bytes = 2'000, .max_work = 20'000};
    const auto rendered = parsed->rendered(answer, answer, limits);
    if (!rendered) {
        return;
    }
    if (rendered->text.size() > limits.max_output_bytes || !is_utf8(rendered->text)) {
        std::abort();
    }
    for (const std::size_t missing : rendered->missing) {
        if (missing >= parsed->fields().size()) {
            std::abort();
        }
    }
}

}  // namespace holdfast::fuzz
