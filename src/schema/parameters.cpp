#include "schema/parameters.hpp"

#include <algorithm>

#include "schema/detail/program.hpp"
#include "schema/detail/shape.hpp"
#include "schema/detail/words.hpp"

namespace holdfast::schema {

std::string describe_parameters(const Schema& schema, std::size_t max_bytes) {
    constexpr std::size_t kMaxNameBytes = 100;
    constexpr std::size_t kMaxLabelBytes = 200;
    const detail::Program& program = schema.program();
    const detail::Shape shape = detail::shape_of(program, detail::kRootNode);
    std::string text;
    std::size_t count = 0;
    for (const detail::Property& property : shape.properties) {
        const bool is_required =
            std::ranges::find(shape.required, property.name) != shape.required.end();
        const std::string label = detail::label_of(program, property.node);
        const std::string part = detail::shortened(property.name, kMaxNameBytes) + " (" +
                                 detail::shortened(label, kMaxLabelBytes) +
                                 (is_required ? ", required)" : ")");
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
