#include "downstream/supervision/server_capabilities.hpp"

#include <optional>
#include <string>

#include "jsonrpc/thread_reader.hpp"

namespace holdfast::downstream {
namespace {

ServerCapabilities::List list_of(const jsonrpc::PaddedText& text,
                                 std::optional<std::string_view> capability) {
    // Any value except null and false offers the capability.
    ServerCapabilities::List list{.is_offered = capability && *capability != "null" &&
                                                *capability != "false"};
    if (capability && capability->starts_with('{')) {
        list.tells_changes =
            jsonrpc::thread_reader().read_object(text, *capability).find("listChanged") == "true";
    }
    return list;
}

}  // namespace

ServerCapabilities server_capabilities_of(std::string_view object) {
    const jsonrpc::PaddedText text{std::string{object}};
    const auto members = jsonrpc::thread_reader().read_object(text, text.view());
    // Looked up first, because the reader holds one object at a time.
    const auto tools = members.find("tools");
    const auto prompts = members.find("prompts");
    const auto resources = members.find("resources");
    const bool has_logging = members.find("logging").has_value();
    return {.tools = list_of(text, tools),
            .prompts = list_of(text, prompts),
            .resources = list_of(text, resources),
            .has_logging = has_logging};
}

}  // namespace holdfast::downstream
