#include "rest/answer_template.hpp"

#include <utility>

#include <boost/json/monotonic_resource.hpp>
#include <boost/json/parser.hpp>
#include <boost/json/value.hpp>

#include "rest/answers/template_parser.hpp"
#include "rest/answers/template_renderer.hpp"

namespace holdfast::rest {
namespace {

namespace json = boost::json;

// The same depth that protocol messages may have.
constexpr std::size_t kMaxDepth = 512;

/// Returns an upper bound of the number of values in a JSON text without parsing it. The limit is
/// checked with this number before the parser allocates memory.
std::size_t values_in(std::string_view text) {
    std::size_t count = 1;
    bool is_in_text = false;
    for (std::size_t index = 0; index < text.size(); ++index) {
        const char one = text[index];
        if (one == '"') {
            is_in_text = !is_in_text;
        } else if (is_in_text) {
            index += one == '\\' ? 1 : 0;
        } else if (one == ',' || one == '[' || one == '{') {
            ++count;
        }
    }
    return count;
}

std::optional<json::value> parsed_json(std::string_view text, const json::storage_ptr& memory) {
    json::parse_options options;
    options.max_depth = kMaxDepth;
    json::parser parser{{}, options};
    parser.reset(memory);
    json::error_code error;
    parser.write({text.data(), text.size()}, error);
    return error ? std::nullopt : std::optional{parser.release()};
}

}  // namespace

resilience::Result<AnswerTemplate, TemplateProblem> AnswerTemplate::parsed(std::string_view text) {
    auto program = parsed_program(text);
    if (!program) {
        return std::move(program).error();
    }
    return AnswerTemplate{text, std::make_shared<const Program>(std::move(*program))};
}

std::optional<RenderedText> AnswerTemplate::rendered(std::string_view answer,
                                                     std::string_view arguments,
                                                     const RenderLimits& limits) const {
    if (values_in(answer) > limits.max_values || values_in(arguments) > limits.max_values) {
        return std::nullopt;
    }
    json::monotonic_resource memory;
    const auto root = parsed_json(answer, &memory);
    if (!root) {
        return std::nullopt;
    }
    const auto given =
        arguments.empty() ? std::optional<json::value>{} : parsed_json(arguments, &memory);
    return rendered_program(*program_, *root, given ? &*given : nullptr, limits);
}

const std::vector<std::string>& AnswerTemplate::fields() const {
    return program_->fields;
}

}  // namespace holdfast::rest
