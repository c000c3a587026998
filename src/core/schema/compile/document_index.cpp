#include "schema/compile/document_index.hpp"

#include <algorithm>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/string.hpp>

#include "base/uri.hpp"
#include "schema/compile/json_pointer.hpp"
#include "schema/compile/keyword.hpp"
#include "schema/compile/metaschema.hpp"

// Subschemas are only searched where known keywords have them, so an "$id" inside "const" or "enum"
// does not name anything. The walk is limited: size and depth of a document are measured before it
// is copied, and the nodes of all documents are counted.
//
// A reference is resolved in three steps: make it absolute; find the resource, adding its document
// if the caller has provided it; then follow the fragment, which is empty, a JSON pointer or an
// anchor.

namespace holdfast::schema {
namespace {

using boost::json::value;

// Returns whether a tree is within a depth and a size; `bytes` is the remaining size and decreases.
bool fits(const value& any, std::size_t depth, std::size_t& bytes) {
    std::size_t size = 16;
    if (const auto* const text = any.if_string()) {
        size += text->size();
    } else if (const auto* const object = any.if_object()) {
        for (const auto& member : *object) {
            size += member.key().size();
        }
    }
    if (depth == 0 || size > bytes) {
        return false;
    }
    bytes -= size;
    const auto fits_below = [&](const value& child) { return fits(child, depth - 1, bytes); };
    if (const auto* const items = any.if_array()) {
        return std::ranges::all_of(*items, fits_below);
    }
    const auto* const object = any.if_object();
    return object == nullptr || std::ranges::all_of(*object, [&](const auto& member) {
               return fits_below(member.value());
           });
}

}  // namespace

void DocumentIndex::fail(CompileErrc code, std::string location, std::string message) {
    if (!error_) {
        constexpr std::size_t kMaxTextBytes = 300;
        location.resize(std::min(location.size(), kMaxTextBytes));
        message.resize(std::min(message.size(), kMaxTextBytes));
        error_ = CompileError{
            .code = code, .location = std::move(location), .message = std::move(message)};
    }
}

void DocumentIndex::fail(CompileErrc code, NodeIndex node, std::string_view keyword,
                         std::string message) {
    fail(code, location_of(program_, node, keyword), std::move(message));
}

bool DocumentIndex::is_within_limits(const value& root, const std::string& uri) {
    std::size_t bytes = options_.limits.max_bytes;
    if (fits(root, options_.limits.max_depth, bytes)) {
        return true;
    }
    fail(CompileErrc::limit_reached, uri + "#",
         bytes < 16
             ? "the schema is larger than " + std::to_string(options_.limits.max_bytes) + " bytes"
             : "the schema is nested deeper than " + std::to_string(options_.limits.max_depth) +
                   " levels, or too large");
    return false;
}

void DocumentIndex::add_document(std::string uri, const value& root) {
    if (!is_within_limits(root, uri)) {
        return;
    }
    const auto document = static_cast<std::uint32_t>(program_.documents.size());
    // A plain copy would use the memory resource of the original, which may be destroyed earlier.
    program_.documents.push_back({.uri = uri, .root = value(root, boost::json::storage_ptr{})});
    const auto resource = static_cast<std::uint32_t>(program_.resources.size());
    program_.resources.push_back(
        {.uri = uri, .root = static_cast<NodeIndex>(program_.nodes.size())});
    resources_.try_emplace(std::move(uri), resource);
    visit(program_.documents.back().root, {.document = document}, resource);
}

NodeIndex DocumentIndex::visit(const value& any, NodeOrigin origin, std::uint32_t resource) {
    if (const NodeIndex known = node_at(any); known != kNoNode || error_) {
        return known;
    }
    const auto node = static_cast<NodeIndex>(program_.nodes.size());
    origin.value = &any;
    program_.nodes.push_back({.resource = resource});
    program_.origins.push_back(origin);
    nodes_.emplace(&any, node);
    if (node >= options_.limits.max_subschemas) {
        fail(CompileErrc::limit_reached, node, {},
             "there are more than " + std::to_string(options_.limits.max_subschemas) +
                 " subschemas");
    } else if (const auto* const object = any.if_object()) {
        note_names(node, *object);
        visit_children(node, *object);
    } else if (!any.is_bool()) {
        fail(CompileErrc::malformed, node, {}, "a schema must be an object or a boolean");
    }
    return node;
}

void DocumentIndex::visit_children(NodeIndex node, const boost::json::object& object) {
    for (const auto& member : object) {
        const std::string_view keyword{member.key()};
        const Children children = children_of(keyword);
        const bool is_list = children == Children::list ||
                             (children == Children::schema_or_list && member.value().is_array());
        if (is_list) {
            visit_list(node, keyword, member.value());
        } else if (children == Children::map || children == Children::lenient_map) {
            visit_map(node, keyword, member.value());
        } else if (children != Children::none) {
            visit(member.value(),
                  {.parent = node, .document = program_.origins[node].document, .keyword = keyword},
                  program_.nodes[node].resource);
        }
    }
}

void DocumentIndex::visit_list(NodeIndex node, std::string_view keyword, const value& list) {
    const auto* const items = list.if_array();
    if (items == nullptr) {
        fail(CompileErrc::malformed, node, keyword, "must be a list of schemas");
        return;
    }
    for (std::size_t i = 0; i < items->size() && !error_; ++i) {
        visit((*items)[i],
              {.parent = node,
               .document = program_.origins[node].document,
               .keyword = keyword,
               .index = static_cast<std::int64_t>(i)},
              program_.nodes[node].resource);
    }
}

void DocumentIndex::visit_map(NodeIndex node, std::string_view keyword, const value& map) {
    const auto* const members = map.if_object();
    if (members == nullptr) {
        fail(CompileErrc::malformed, node, keyword, "must be an object of schemas");
        return;
    }
    const bool allows_lists = children_of(keyword) == Children::lenient_map;
    for (const auto& member : *members) {
        if (error_ || (allows_lists && member.value().is_array())) {
            continue;
        }
        visit(member.value(),
              {.parent = node,
               .document = program_.origins[node].document,
               .keyword = keyword,
               .key = member.key()},
              program_.nodes[node].resource);
    }
}

NodeIndex DocumentIndex::node_at(const value& any) const {
    const auto found = nodes_.find(&any);
    return found == nodes_.end() ? kNoNode : found->second;
}

std::string_view DocumentIndex::dynamic_anchor_of(NodeIndex node) const {
    const auto found = dynamic_anchors_.find(node);
    return found == dynamic_anchors_.end() ? std::string_view{} : found->second;
}

std::optional<std::uint32_t> DocumentIndex::resource_at(const std::string& uri) {
    auto found = resources_.find(uri);
    if (found == resources_.end()) {
        if (options_.documents != nullptr && options_.documents->contains(uri)) {
            add_document(uri, options_.documents->find(uri)->second);
        } else if (const std::string_view text = built_in_document(uri); !text.empty()) {
            boost::json::error_code failure;
            add_document(uri, boost::json::parse({text.data(), text.size()}, failure));
        }
        found = resources_.find(uri);
    }
    return found == resources_.end() ? std::nullopt : std::optional{found->second};
}

NodeIndex DocumentIndex::resolve(NodeIndex node, std::string_view keyword,
                                 std::string_view reference) {
    const std::string absolute =
        base::resolve_uri(program_.resources[program_.nodes[node].resource].uri, reference);
    const base::SplitUri split = base::split_fragment(absolute);
    const auto resource = resource_at(std::string{split.document});
    NodeIndex target = kNoNode;
    if (resource) {
        const std::string fragment = base::percent_decoded(split.fragment);
        if (fragment.empty()) {
            target = program_.resources[*resource].root;
        } else if (fragment.starts_with('/')) {
            target = follow_pointer(*resource, fragment);
        } else if (const auto found = anchors_.find({*resource, fragment});
                   found != anchors_.end()) {
            target = found->second;
        }
    }
    if (target == kNoNode) {
        fail(CompileErrc::unresolved_reference, node, keyword,
             "the reference \"" + std::string{reference} + "\" cannot be resolved" +
                 (resource ? "" : "; other documents are never fetched"));
    }
    return target;
}

NodeIndex DocumentIndex::follow_pointer(std::uint32_t resource, std::string_view pointer) {
    const std::string_view whole = pointer;
    const value* at = program_.origins[program_.resources[resource].root].value;
    NodeIndex nearest = program_.resources[resource].root;
    std::string_view from_nearest = whole;
    while (!pointer.empty()) {
        at = child_of(*at, take_token(pointer));
        if (at == nullptr) {
            return kNoNode;
        }
        if (const NodeIndex known = node_at(*at); known != kNoNode) {
            nearest = known;
            from_nearest = pointer;
        }
    }
    if (const NodeIndex known = node_at(*at); known != kNoNode) {
        return known;
    }
    // 2020-12 has no subschema here, but the reference makes it one.
    const std::string& kept = program_.own_texts.emplace_back(from_nearest);
    return visit(*at,
                 {.parent = nearest,
                  .document = program_.origins[nearest].document,
                  .detached_pointer = kept},
                 program_.nodes[nearest].resource);
}

}  // namespace holdfast::schema
