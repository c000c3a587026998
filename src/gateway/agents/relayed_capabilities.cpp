#include "agents/relayed_capabilities.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include "jsonrpc/object_edit.hpp"
#include "jsonrpc/padded_text.hpp"
#include "jsonrpc/thread_reader.hpp"

namespace holdfast::agents {
namespace {

// Apps are tools with metadata and resources, which are relayed anyway.
constexpr std::array<std::string_view, 2> kRelayed{"io.modelcontextprotocol/skills",
                                                   "io.modelcontextprotocol/ui"};

std::string relayed_extensions(const jsonrpc::PaddedText& text, std::string_view extensions) {
    const jsonrpc::ObjectView object = jsonrpc::part_reader().read_object(text, extensions);
    jsonrpc::ObjectEdit edit{object};
    for (const jsonrpc::Field& extension : object.fields()) {
        if (std::ranges::find(kRelayed, extension.key) == kRelayed.end()) {
            edit.remove(extension.key);
        }
    }
    return edit.text();
}

}  // namespace

std::string relayed_capabilities(std::string_view capabilities) {
    const jsonrpc::PaddedText text{std::string{capabilities}};
    const auto found = jsonrpc::part_reader().read_object(text, text.view()).find("extensions");
    if (!found) {
        return std::string{capabilities};
    }
    const std::string extensions = relayed_extensions(text, *found);
    jsonrpc::ObjectEdit edit{jsonrpc::part_reader().read_object(text, text.view())};
    if (extensions == "{}") {
        edit.remove("extensions");
    } else {
        edit.set("extensions", extensions);
    }
    return edit.text();
}

}  // namespace holdfast::agents
