#include "schema/compile/compiler.hpp"

#include <array>
#include <string_view>

#include "schema/compile/assembler.hpp"
#include "schema/compile/document_index.hpp"
#include "schema/compile/keyword.hpp"

namespace holdfast::schema {
namespace {

struct Rule {
    std::string_view keyword;
    Vocabulary vocabulary;
    void (Assembler::*emit)(std::string_view keyword, const boost::json::value& value);
};

// In the order in which a value is checked: cheap keywords that fail often come first, keywords
// that depend on the result of others come last.
constexpr std::array kRules{
    Rule{"type", kValidation, &Assembler::type},
    Rule{"const", kValidation, &Assembler::constant},
    Rule{"enum", kValidation, &Assembler::enumeration},
    Rule{"minimum", kValidation, &Assembler::bound},
    Rule{"maximum", kValidation, &Assembler::bound},
    Rule{"exclusiveMinimum", kValidation, &Assembler::bound},
    Rule{"exclusiveMaximum", kValidation, &Assembler::bound},
    Rule{"multipleOf", kValidation, &Assembler::multiple_of},
    Rule{"minLength", kValidation, &Assembler::count_limit},
    Rule{"maxLength", kValidation, &Assembler::count_limit},
    Rule{"minItems", kValidation, &Assembler::count_limit},
    Rule{"maxItems", kValidation, &Assembler::count_limit},
    Rule{"minProperties", kValidation, &Assembler::count_limit},
    Rule{"maxProperties", kValidation, &Assembler::count_limit},
    Rule{"required", kValidation, &Assembler::required},
    Rule{"dependentRequired", kValidation, &Assembler::dependents},
    Rule{"pattern", kValidation, &Assembler::pattern},
    Rule{"$ref", kCore, &Assembler::reference},
    Rule{"$dynamicRef", kCore, &Assembler::dynamic_reference},
    Rule{"$recursiveRef", kCore, &Assembler::unsupported},
    Rule{"properties", kApplicator, &Assembler::members},
    Rule{"patternProperties", kApplicator, &Assembler::members},
    Rule{"additionalProperties", kApplicator, &Assembler::members},
    Rule{"propertyNames", kApplicator, &Assembler::single},
    Rule{"dependentSchemas", kApplicator, &Assembler::dependents},
    Rule{"dependencies", kApplicator, &Assembler::dependents},
    Rule{"prefixItems", kApplicator, &Assembler::items},
    Rule{"items", kApplicator, &Assembler::items},
    Rule{"contains", kApplicator, &Assembler::contains},
    Rule{"uniqueItems", kValidation, &Assembler::unique_items},
    Rule{"allOf", kApplicator, &Assembler::list},
    Rule{"anyOf", kApplicator, &Assembler::list},
    Rule{"oneOf", kApplicator, &Assembler::list},
    Rule{"not", kApplicator, &Assembler::single},
    Rule{"if", kApplicator, &Assembler::conditional},
    Rule{"unevaluatedItems", kUnevaluated, &Assembler::single},
    Rule{"unevaluatedProperties", kUnevaluated, &Assembler::single},
};

void compile_node(Program& program, DocumentIndex& index, PatternCache& patterns, NodeIndex node) {
    const boost::json::value& value = *program.origins[node].value;
    const auto first = static_cast<std::uint32_t>(program.code.size());
    program.nodes[node].first_instruction = first;
    if (const auto* const object = value.if_object()) {
        const std::uint8_t vocabularies =
            program.resources[program.nodes[node].resource].vocabularies;
        Assembler assembler{program, index, patterns, node};
        for (const Rule& rule : kRules) {
            const boost::json::value* const operand =
                (vocabularies & rule.vocabulary) != 0 ? object->if_contains(rule.keyword) : nullptr;
            if (operand != nullptr && !index.error()) {
                (assembler.*rule.emit)(rule.keyword, *operand);
            }
        }
    } else if (!value.get_bool()) {
        program.nodes[node].is_false = true;
        program.code.push_back({.op = Op::never});
    }
    program.nodes[node].instruction_count = static_cast<std::uint32_t>(program.code.size()) - first;
}

}  // namespace

std::optional<CompileError> compile_into(Program& program, const boost::json::value& schema,
                                         const CompileOptions& options) {
    DocumentIndex index{program, options};
    PatternCache patterns{program, options.limits};
    index.add_document({}, schema);
    // References can add documents and nodes during this loop.
    for (NodeIndex node = 0; node < program.nodes.size() && !index.error(); ++node) {
        compile_node(program, index, patterns, node);
    }
    return index.error();
}

}  // namespace holdfast::schema
