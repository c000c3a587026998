#include "schema/parameters.hpp"

#include <algorithm>

#include <boost/json/object.hpp>
#include <boost/json/string.hpp>

#include "schema/detail/program.hpp"
#include "schema/detail/shape.hpp"
#include "schema/detail/words.hpp"

namespace holdfast::schema {
namespace {

constexpr std::size_t kMaxNameBytes = 100;
constexpr std::size_t kMaxLabelBytes = 200;
constexpr std::size_t kMaxDescriptionBytes = 200;

std::string description_of(const detail::Program& program, detail::NodeIndex node) {
    const auto* const object = program.origins[node].value->if_object();
    const auto* const found = object == nullptr ? nullptr : object->if_contains("description");
    const auto* const text = found == nullptr ? nullptr : found->if_string();
    return text == nullptr ? std::string{}
                           : detail::shortened({text->data(), text->size()}, kMaxDescriptionBytes);
}

Parameter parameter_of(const detail::Program& program, const detail::Shape& shape,
                       const detail::Property& property) {
    return {.name = detail::shortened(property.name, kMaxNameBytes),
            .type = detail::shortened(detail::label_of(program, property.node), kMaxLabelBytes),
            .is_required = std::ranges::find(shape.required, property.name) != shape.required.end(),
            .description = description_of(program, property.node)};
}

}  // namespace

std::vector<Parameter> parameters_of(const Schema& schema, std::size_t max_count) {
    const detail::Program& program = schema.program();
    const detail::Shape shape = detail::shape_of(program, detail::kRootNode);
    std::vector<Parameter> parameters;
    parameters.reserve(std::min(shape.properties.size(), max_count));
    for (const detail::Property& property : shape.properties) {
        if (parameters.size() == max_count) {
            break;
        }
        parameters.push_back(parameter_of(program, shape, property));
    }
    return parameters;
}

std::string describe_parameters(const Schema& schema, std::size_t max_bytes) {
    const detail::Program& program = schema.program();
    const detail::Shape shape = detail::shape_of(program, detail::kRootNode);
    std::string text;
    std::size_t count = 0;
    for (const detail::Property& property : shape.properties) {
        const Parameter parameter = parameter_of(program, shape, property);
        const std::string part =
            parameter.name + " (" + parameter.type + (parameter.is_required ? ", required)" : ")");
        if (text.size() + part.size() > max_bytes) {
            break;
        }
        text += (count == 0 ? "" : ", ") + part;
        ++count;
    }
    const std::size_t left_out = shape.properties.size() - count;
    if (left_out > 0) {
        text += (count == 0 ? "" : " and ") + std::to_string(left_out) + " more";
    }
    return text.empty() ? "none" : text;
}

}  // namespace holdfast::schema
