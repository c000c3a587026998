#include "schema/compile/program.hpp"

#include <ranges>

#include "schema/compile/json_pointer.hpp"

namespace holdfast::schema {

std::string location_of(const Program& program, NodeIndex node, std::string_view keyword) {
    std::vector<const NodeOrigin*> chain;
    for (NodeIndex at = node; at != kNoNode; at = program.origins[at].parent) {
        chain.push_back(&program.origins[at]);
    }
    std::string location = program.documents[program.origins[node].document].uri + "#";
    for (const NodeOrigin* const origin : std::views::reverse(chain)) {
        location += origin->detached_pointer;
        if (!origin->keyword.empty()) {
            append_token(location, origin->keyword);
        }
        if (origin->key.data() != nullptr) {
            append_token(location, origin->key);
        }
        if (origin->index >= 0) {
            append_token(location, static_cast<std::size_t>(origin->index));
        }
    }
    if (!keyword.empty()) {
        append_token(location, keyword);
    }
    return location;
}

}  // namespace holdfast::schema
