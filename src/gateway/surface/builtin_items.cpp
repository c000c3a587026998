#include "surface/builtin_items.hpp"

#include <algorithm>
#include <utility>

#include "holdfast/resilience/expect.hpp"
#include "surface/argument_schema.hpp"

namespace holdfast::surface {

BuiltinItems::BuiltinItems(std::vector<BuiltinTool> tools, std::vector<BuiltinResource> resources)
    : resources_(std::move(resources)) {
    tools_.reserve(tools.size());
    for (BuiltinTool& tool : tools) {
        HOLDFAST_EXPECT(find_tool(tool.name) == nullptr);
        tools_.push_back({.own = std::move(tool)});
    }
    // The definitions have their final addresses from here on.
    for (Tool& tool : tools_) {
        tool.callable = {.own_name = tool.own.name,
                         .exposed_name = tool.own.name,
                         .arguments = std::make_shared<const ArgumentSchema>(tool.own.definition)};
    }
}

const BuiltinItems::Tool* BuiltinItems::find_tool(std::string_view name) const {
    const auto found =
        std::ranges::find_if(tools_, [name](const Tool& tool) { return tool.own.name == name; });
    return found == tools_.end() ? nullptr : &*found;
}

const BuiltinResource* BuiltinItems::find_resource(std::string_view uri) const {
    const auto found = std::ranges::find(resources_, uri, &BuiltinResource::uri);
    return found == resources_.end() ? nullptr : &*found;
}

std::vector<std::string> BuiltinItems::names() const {
    std::vector<std::string> names;
    names.reserve(tools_.size());
    for (const Tool& tool : tools_) {
        names.push_back(tool.own.name);
    }
    return names;
}

}  // namespace holdfast::surface
