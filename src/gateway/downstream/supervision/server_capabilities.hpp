#pragma once

#include <string_view>

#include "downstream/listing.hpp"

namespace holdfast::downstream {

/// The relevant parts of a ServerCapabilities object.
struct ServerCapabilities {
    struct List {
        bool is_offered = false;
        bool tells_changes = false;
    };
    List tools = {};
    List prompts = {};
    List resources = {};  ///< Also applies to their templates.
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

/// Returns no capabilities if the text is not such an object.
[[nodiscard]] ServerCapabilities server_capabilities_of(std::string_view object);

}  // namespace holdfast::downstream
