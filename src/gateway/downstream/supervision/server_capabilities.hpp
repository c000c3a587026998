#pragma once

#include <string_view>

#include "downstream/listing.hpp"

namespace holdfast::downstream {

/// What matters to us of a ServerCapabilities object.
struct ServerCapabilities {
    struct List {
        bool is_offered = false;
        bool tells_changes = false;
    };
    List tools = {};
    List prompts = {};
    List resources = {};  ///< And their templates.
    bool has_logging = false;

    [[nodiscard]] const List& of(ListKind kind) const noexcept {
        switch (kind) {
            case ListKind::tools:
                return tools;
            case ListKind::prompts:
                return prompts;
            case ListKind::resources:
            case ListKind::templates:
                break;
        }
        return resources;
    }
};

/// A text that is no such object offers nothing.
[[nodiscard]] ServerCapabilities server_capabilities_of(std::string_view object);

}  // namespace holdfast::downstream
