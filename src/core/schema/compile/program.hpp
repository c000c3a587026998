#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <re2/re2.h>
#include <boost/json/value.hpp>

#include "schema/compile/instruction.hpp"
#include "schema/schema.hpp"

namespace holdfast::schema {

/// A compiled schema consists of flat tables that refer to each other by index. A node is one
/// subschema: a run of instructions. Texts and constants are views into `documents`, which do not
/// change after compilation.

struct Node {
    std::uint32_t first_instruction = 0;
    std::uint32_t instruction_count = 0;
    std::uint32_t resource = 0;
    bool has_unevaluated = false;
    bool is_false = false;
};

/// The source of a node, for messages and advice.
struct NodeOrigin {
    const boost::json::value* value = nullptr;
    NodeIndex parent = kNoNode;
    std::uint32_t document = 0;
    std::string_view keyword{};           ///< Of the parent; empty for the root of a document.
    std::string_view key{};               ///< Set if the keyword holds an object of schemas.
    std::int64_t index = -1;              ///< Set if the keyword holds a list of schemas.
    std::string_view detached_pointer{};  ///< Set if only a reference leads here.
};

struct Property {
    std::string_view name{};
    NodeIndex node = kNoNode;
};

struct PatternRule {
    std::uint32_t pattern = 0;
    NodeIndex node = kNoNode;
};

/// `properties`, `patternProperties` and `additionalProperties` of one schema, for one pass over
/// the members of an object. The properties are sorted by size, then by bytes.
struct MemberRules {
    std::vector<Property> properties;
    std::vector<PatternRule> patterns;
    NodeIndex additional = kNoNode;
    /// If set, any member may be one that the skipped pattern allows.
    bool has_skipped_pattern = false;
};

struct ContainRule {
    NodeIndex node = kNoNode;
    std::uint64_t min = 1;
    std::uint64_t max = UINT64_MAX;
};

/// One entry of `dependentRequired` or `dependentSchemas`.
struct Dependent {
    std::string_view name{};
    std::uint32_t first_name = 0;
    std::uint32_t name_count = 0;
    NodeIndex node = kNoNode;
};

struct DynamicReference {
    NodeIndex target = kNoNode;
    std::string_view anchor{};  ///< Empty if the target is not a dynamic anchor: a plain reference.
};

struct Resource {
    std::string uri{};
    NodeIndex root = kNoNode;
    std::vector<Property> dynamic_anchors{};
    std::uint8_t vocabularies = 0xff;
};

struct Document {
    std::string uri{};  ///< Empty for the schema itself.
    boost::json::value root;
};

struct Program {
    std::vector<Node> nodes;
    std::vector<Instruction> code;
    std::vector<NodeIndex> node_lists;
    std::vector<std::string_view> names;
    std::vector<const boost::json::value*> values;
    std::vector<MemberRules> member_rules;
    std::vector<ContainRule> contain_rules;
    std::vector<Dependent> dependents;
    std::vector<DynamicReference> dynamic_references;
    std::vector<std::unique_ptr<re2::RE2>> patterns;
    std::vector<NodeOrigin> origins;
    std::vector<Resource> resources;
    std::deque<Document> documents;     // a deque, so that views into it stay valid
    std::deque<std::string> own_texts;  // pointers of nodes that only a reference leads to
    std::vector<SkippedKeyword> skipped;
};

/// Returns "#/properties/a/type" for a node and one of its keywords; the keyword may be empty.
[[nodiscard]] std::string location_of(const Program& program, NodeIndex node,
                                      std::string_view keyword);

}  // namespace holdfast::schema
