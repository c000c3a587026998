#include "schema/parameters.hpp"

#include <algorithm>

#include <boost/json/object.hpp>
#include <boost/json/string.hpp>

#include "schema/advice/describe.hpp"
#include "schema/advice/shape.hpp"
#include "schema/compile/program.hpp"

namespace holdfast::schema {
namespace {

constexpr std::size_t kMaxNameBytes = 100;
constexpr std::size_t kMaxDescriptionBytes = 200;

std::string description_of(const Program& program, NodeIndex node) {
    const auto* const object = program.origins[node].value->if_object();
    const auto* const found = object == nullptr ? nullptr : object->if_contains("description");
    const auto* const text = found == nullptr ? nullptr : found->if_string();
    return text == nullptr ? std::string{}
                           : shortened({text->data(), text->size()}, kMaxDescriptionBytes);
}

Parameter parameter_of(const Program& program, const Shape& shape, const Property& property) {
    return {.name = shortened(property.name, kMaxNameBytes),
            .type = shortened(label_of(program, property.node), kMaxLabelBytes),
            .is_required = std::ranges::find(shape.required, property.name) != shape.required.end(),
            .description = description_of(program, property.node)};
}

}  // namespace

std::vector<Parameter> parameters_of(const Schema& schema, std::size_t max_count) {
    const Program& program = schema.program();
    const Shape shape = shape_of(program, kRootNode);
    std::vector<Parameter> parameters;
    parameters.reserve(std::min(shape.properties.size(), max_count));
    for (const Property& property : shape.properties) {
        if (parameters.size() == max_count) {
            break;
        }
        parameters.push_back(parameter_of(program, shape, property));
    }
    return parameters;
}

std::string describe_parameters(const Schema& schema, std::size_t max_bytes) {
    const Program& program = schema.program();
    const Shape shape = shape_of(program, kRootNode);
    std::string text;
    std::size_t count = 0;
    for (const Property& property : shape.properties) {
        const Parameter parameter = parameter_of(program, shape, property);
        const std::string part =
            parameter.name + " (" + parameter.type + (parameter.is_required ? ", required)" : ")");
        if (text.size() + part.size() > max_bytes) {
            break;
        }
        text += (count == 0 ? "" : ", ") + part;
        ++count;
    }
    const std::size_t omitted = shape.properties.size() - count;
    if (omitted > 0) {
        text += (count == 0 ? "" : " and ") + std::to_string(omitted) + " more";
    }
    return text.empty() ? "none" : text;
}

}  // namespace holdfast::schema
