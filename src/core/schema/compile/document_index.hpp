#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include <boost/json/value.hpp>

#include "schema/compile/program.hpp"
#include "schema/schema.hpp"

namespace holdfast::schema {

/// Finds every subschema of a document before any is compiled. Each becomes a node of the program,
/// and its names for references (`$id`, `$anchor`, `$dynamicAnchor`) are stored. Documents of the
/// caller's table are added when a reference leads to them.
///
/// Keeps the first error and adds nothing after it.
///
/// Thread-safety: none.
class DocumentIndex {
public:
    DocumentIndex(Program& program, const CompileOptions& options)
        : program_(program), options_(options) {}

    /// Copies a document and adds its subschemas. The root node of the first one is kRootNode.
    void add_document(std::string uri, const boost::json::value& root);

    /// Returns the node that a reference in `node` leads to, or kNoNode and an error at `keyword`.
    [[nodiscard]] NodeIndex resolve(NodeIndex node, std::string_view keyword,
                                    std::string_view reference);

    /// Returns the node of a value at a position for subschemas.
    [[nodiscard]] NodeIndex node_at(const boost::json::value& value) const;

    /// Returns the name of a node as `$dynamicAnchor`; empty if it has none.
    [[nodiscard]] std::string_view dynamic_anchor_of(NodeIndex node) const;

    void fail(CompileErrc code, std::string location, std::string message);
    void fail(CompileErrc code, NodeIndex node, std::string_view keyword, std::string message);
    [[nodiscard]] const std::optional<CompileError>& error() const noexcept { return error_; }

private:
    using AnchorKey = std::pair<std::uint32_t, std::string>;

    [[nodiscard]] bool is_within_limits(const boost::json::value& root, const std::string& uri);
    NodeIndex visit(const boost::json::value& value, NodeOrigin origin, std::uint32_t resource);
    void visit_children(NodeIndex node, const boost::json::object& object);
    void visit_list(NodeIndex node, std::string_view keyword, const boost::json::value& list);
    void visit_map(NodeIndex node, std::string_view keyword, const boost::json::value& map);
    void note_names(NodeIndex node, const boost::json::object& object);
    void note_id(NodeIndex node, std::string_view id);
    void note_anchor(NodeIndex node, std::string_view keyword, std::string_view name);
    void note_dialect(NodeIndex node, std::string_view dialect);
    [[nodiscard]] std::optional<std::uint32_t> resource_at(const std::string& uri);
    [[nodiscard]] NodeIndex follow_pointer(std::uint32_t resource, std::string_view pointer);

    Program& program_;
    const CompileOptions& options_;
    std::optional<CompileError> error_;
    std::unordered_map<const boost::json::value*, NodeIndex> nodes_;
    std::map<std::string, std::uint32_t, std::less<>> resources_;
    std::map<AnchorKey, NodeIndex> anchors_;
    std::unordered_map<NodeIndex, std::string_view> dynamic_anchors_;
};

}  // namespace holdfast::schema
