#include <boost/json/object.hpp>
#include <boost/json/string.hpp>

#include "base/uri.hpp"
#include "schema/compile/document_index.hpp"
#include "schema/compile/keyword.hpp"
#include "schema/compile/metaschema.hpp"

// The names that references use for a schema, and the dialect of the schema.

namespace holdfast::schema {
namespace {

using boost::json::value;

std::string_view view_of(const boost::json::string& text) {
    return {text.data(), text.size()};
}

const boost::json::string* string_member(const boost::json::object& object, std::string_view name) {
    const value* const found = object.if_contains(name);
    return found == nullptr ? nullptr : found->if_string();
}

}  // namespace

void DocumentIndex::note_names(NodeIndex node, const boost::json::object& object) {
    if (const auto* const id = string_member(object, "$id")) {
        note_id(node, view_of(*id));
    }
    const bool is_resource_root = program_.resources[program_.nodes[node].resource].root == node;
    if (const auto* const dialect = string_member(object, "$schema"); dialect && is_resource_root) {
        note_dialect(node, view_of(*dialect));
    }
    for (const std::string_view keyword : {"$anchor", "$dynamicAnchor"}) {
        if (const auto* const name = string_member(object, keyword)) {
            note_anchor(node, keyword, view_of(*name));
        }
    }
}

void DocumentIndex::note_id(NodeIndex node, std::string_view id) {
    if (id.starts_with('#')) {
        // The form of an anchor in draft 7.
        if (id.size() > 1) {
            note_anchor(node, "$id", id.substr(1));
        }
        return;
    }
    const std::uint32_t outer = program_.nodes[node].resource;
    const std::string absolute = base::resolve_uri(program_.resources[outer].uri, id);
    std::string uri{base::split_fragment(absolute).document};
    std::uint32_t resource = outer;
    if (program_.resources[outer].root == node) {
        program_.resources[outer].uri = uri;
    } else {
        resource = static_cast<std::uint32_t>(program_.resources.size());
        const std::uint8_t vocabularies = program_.resources[outer].vocabularies;
        program_.resources.push_back({.uri = uri, .root = node, .vocabularies = vocabularies});
        program_.nodes[node].resource = resource;
    }
    resources_.try_emplace(std::move(uri), resource);
}

void DocumentIndex::note_anchor(NodeIndex node, std::string_view keyword, std::string_view name) {
    const std::uint32_t resource = program_.nodes[node].resource;
    anchors_.try_emplace({resource, std::string{name}}, node);
    if (keyword == "$dynamicAnchor") {
        dynamic_anchors_.try_emplace(node, name);
        program_.resources[resource].dynamic_anchors.push_back({.name = name, .node = node});
    }
}

void DocumentIndex::note_dialect(NodeIndex node, std::string_view dialect) {
    const std::string uri{base::split_fragment(dialect).document};
    const bool is_given = options_.documents != nullptr && options_.documents->contains(uri);
    if (uri == kDialectUri || !is_given) {
        return;  // an unknown dialect is read as 2020-12
    }
    const auto* const root = options_.documents->find(uri)->second.if_object();
    const value* const found = root == nullptr ? nullptr : root->if_contains("$vocabulary");
    const auto* const vocabularies = found == nullptr ? nullptr : found->if_object();
    if (vocabularies == nullptr) {
        return;
    }
    std::uint8_t bits = kCore;
    for (const auto& member : *vocabularies) {
        const VocabularyMatch match = find_vocabulary(member.key());
        bits |= match.bits;
        const bool is_required = member.value().is_bool() && member.value().get_bool();
        if (is_required && std::string_view{member.key()}.ends_with("/vocab/format-assertion")) {
            program_.skipped.push_back({.location = location_of(program_, node, "$schema"),
                                        .reason = "format is an annotation here"});
        }
        if (is_required && !match.is_known) {
            fail(CompileErrc::unsupported_vocabulary, node, "$schema",
                 "requires the unknown vocabulary " + std::string{member.key()});
        }
    }
    program_.resources[program_.nodes[node].resource].vocabularies = bits;
}

}  // namespace holdfast::schema
