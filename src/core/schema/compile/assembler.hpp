#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <boost/json/value.hpp>

#include "schema/compile/document_index.hpp"
#include "schema/compile/pattern_cache.hpp"
#include "schema/compile/program.hpp"

namespace holdfast::schema {

/// Writes the instructions of one node. Each function handles one keyword with its value. The
/// keywords must come in the order of the compiler's table. Errors are reported to the index.
///
/// Thread-safety: none.
class Assembler {
public:
    Assembler(Program& program, DocumentIndex& index, PatternCache& patterns, NodeIndex node)
        : program_(program), index_(index), patterns_(patterns), node_(node) {}

    void type(std::string_view keyword, const boost::json::value& value);
    void constant(std::string_view keyword, const boost::json::value& value);
    void enumeration(std::string_view keyword, const boost::json::value& value);
    void bound(std::string_view keyword, const boost::json::value& value);
    void multiple_of(std::string_view keyword, const boost::json::value& value);
    void count_limit(std::string_view keyword, const boost::json::value& value);
    void pattern(std::string_view keyword, const boost::json::value& value);
    void unique_items(std::string_view keyword, const boost::json::value& value);
    void required(std::string_view keyword, const boost::json::value& value);
    void dependents(std::string_view keyword, const boost::json::value& value);
    void members(std::string_view keyword, const boost::json::value& value);
    void items(std::string_view keyword, const boost::json::value& value);
    void contains(std::string_view keyword, const boost::json::value& value);
    void list(std::string_view keyword, const boost::json::value& value);
    void single(std::string_view keyword, const boost::json::value& value);
    void conditional(std::string_view keyword, const boost::json::value& value);
    void reference(std::string_view keyword, const boost::json::value& value);
    void dynamic_reference(std::string_view keyword, const boost::json::value& value);
    void unsupported(std::string_view keyword, const boost::json::value& value);

private:
    struct Range {
        std::uint32_t first = 0;
        std::uint32_t count = 0;
    };

    void emit(Instruction instruction) { program_.code.push_back(instruction); }
    void malformed(std::string_view keyword, std::string_view must);
    void skip(const std::string& location, std::string reason);
    [[nodiscard]] MemberRules& member_rules();
    void pattern_members(const boost::json::object& patterns);
    [[nodiscard]] const boost::json::value* sibling(std::string_view keyword) const;
    [[nodiscard]] NodeIndex sibling_node(std::string_view keyword) const;
    [[nodiscard]] std::optional<std::uint64_t> count_of(std::string_view keyword,
                                                        const boost::json::value& value);
    [[nodiscard]] std::optional<Range> names(std::string_view keyword,
                                             const boost::json::value& value);
    [[nodiscard]] Range nodes_of(const boost::json::value& list);
    [[nodiscard]] std::uint32_t keep(const boost::json::value& value);

    Program& program_;
    DocumentIndex& index_;
    PatternCache& patterns_;
    NodeIndex node_;
    bool has_members_ = false;
    bool has_items_ = false;
};

}  // namespace holdfast::schema
