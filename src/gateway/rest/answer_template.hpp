#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "holdfast/resilience/result.hpp"

namespace holdfast::rest {

struct Program;

/// Why a text is not a valid template, and where.
struct TemplateProblem {
    std::size_t offset = 0;    ///< In bytes; points at the invalid character.
    std::string message = {};  ///< A phrase: "expected a number after \"cut\"".
};

struct RenderLimits {
    std::size_t max_output_bytes = std::size_t{64} * 1024;
    /// Each step, list item and 16-byte block of text counts as one unit of work.
    std::size_t max_work = 1'000'000;
    std::size_t max_values = 500'000;  ///< In the answer, including nested ones.
};

/// The result of rendering one answer.
struct RenderedText {
    std::string text = {};
    bool is_cut = false;  ///< A limit was reached; the text ends with a note that says so.
    /// Indexes into `AnswerTemplate::fields` of the fields that the answer lacks.
    std::vector<std::size_t> missing = {};
};

/// Turns the JSON answer of a backend into text for an agent.
///
///     {{#results}}
///     {{@number}}. {{title}} (score {{score | decimals 2}})
///     {{else}}
///     Nothing found.
///     {{/results}}
///
/// A template has values by path, sections and filters, and no construct that could run forever:
/// the work is bounded by the size of the template, the size of the answer, and `RenderLimits`.
///
/// Thread-safety: immutable.
class AnswerTemplate final {
public:
    static constexpr std::size_t kMaxBytes = std::size_t{16} * 1024;
    static constexpr std::size_t kMaxTags = 1'000;
    static constexpr std::size_t kMaxNesting = 8;
    static constexpr std::size_t kMaxFilters = 8;

    [[nodiscard]] static resilience::Result<AnswerTemplate, TemplateProblem> parsed(
        std::string_view text);

    /// Both texts must be JSON; an empty `arguments` means no arguments. Returns nothing if
    /// the answer has too many values, is nested too deeply, or is not valid JSON.
    [[nodiscard]] std::optional<RenderedText> rendered(std::string_view answer,
                                                       std::string_view arguments = {},
                                                       const RenderLimits& limits = {}) const;

    /// The fields whose absence deserves a warning, for example `results[].title`.
    [[nodiscard]] const std::vector<std::string>& fields() const;

    friend bool operator==(const AnswerTemplate& one, const AnswerTemplate& other) noexcept {
        return one.source_ == other.source_;
    }

private:
    AnswerTemplate(std::string_view source, std::shared_ptr<const Program> program)
        : source_(source), program_(std::move(program)) {}

    std::string source_;
    std::shared_ptr<const Program> program_;  // shared by copies
};

}  // namespace holdfast::rest
