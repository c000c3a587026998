#include "mcp/method.hpp"

#include <array>

namespace holdfast::mcp {
namespace {

// name, legacy, modern, safe, named by, may ask, cache hints
constexpr std::array kMethods{
    Method{"tools/call", true, true, false, "name", true, false},
    Method{"tools/list", true, true, true, "", false, true},
    Method{"initialize", true, false, true, "", false, false},
    Method{"ping", true, false, true, "", false, false},
    Method{"server/discover", false, true, true, "", false, true},
    Method{"resources/list", true, true, true, "", false, true},
    Method{"resources/templates/list", true, true, true, "", false, true},
    Method{"resources/read", true, true, true, "uri", true, true},
    Method{"resources/subscribe", true, false, true, "", false, false},
    Method{"resources/unsubscribe", true, false, true, "", false, false},
    Method{"prompts/list", true, true, true, "", false, true},
    Method{"prompts/get", true, true, true, "name", true, false},
    Method{"completion/complete", true, true, true, "", false, false},
    Method{"logging/setLevel", true, false, true, "", false, false},
    // Of the extension io.modelcontextprotocol/skills.
    Method{"skills/list", true, true, true, "", false, true},
    Method{"skills/get", true, true, true, "", false, true},
    Method{"resources/directory/read", true, true, true, "", false, true},
    Method{"subscriptions/listen", false, true, true, "", false, false},
};

}  // namespace

const Method* find_method(std::string_view name) noexcept {
    for (const Method& method : kMethods) {
        if (method.name == name) {
            return &method;
        }
    }
    return nullptr;
}

}  // namespace holdfast::mcp
