#include "surface/argument_schema.hpp"

#include "jsonrpc/json_text.hpp"
#include "jsonrpc/padded_text.hpp"
#include "jsonrpc/thread_reader.hpp"

namespace holdfast::surface {
namespace {

std::string member_of(const jsonrpc::ObjectView& definition, std::string_view key,
                      std::string_view otherwise) {
    return std::string{definition.find(key).value_or(otherwise)};
}

}  // namespace

void ArgumentSchema::compile() const {
    std::call_once(once_, [this] {
        const jsonrpc::PaddedText text{std::string{definition_}};
        const auto definition = jsonrpc::part_reader().read_object(text, text.view());
        schema_.emplace(member_of(definition, "inputSchema", "{}"));
        if (!rule_.schema.empty()) {
            rule_schema_.emplace(rule_.schema);
        }
    });
}

const schema::ToolSchema& ArgumentSchema::schema() const {
    compile();
    return *schema_;
}

std::optional<std::string_view> ArgumentSchema::broken_rule(std::string_view arguments) const {
    compile();
    const bool is_broken = rule_schema_ && rule_schema_->refuses_without_nulls(arguments);
    return is_broken ? std::optional<std::string_view>{rule_.sentence} : std::nullopt;
}

std::string ArgumentSchema::take_problem() const {
    const std::string& problem = schema().problem();
    return problem.empty() || is_problem_taken_.exchange(true) ? std::string{} : problem;
}

std::string ArgumentSchema::description() const {
    const jsonrpc::PaddedText text{std::string{definition_}};
    const auto definition = jsonrpc::part_reader().read_object(text, text.view());
    const std::string written = member_of(definition, "description", "");
    return written.starts_with('"') ? jsonrpc::decoded(written) : std::string{};
}

}  // namespace holdfast::surface
