#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include <boost/json/value.hpp>

#include "schema/compile/program.hpp"
#include "schema/evaluate/equality.hpp"
#include "schema/evaluate/evaluated.hpp"
#include "schema/evaluate/violation_list.hpp"
#include "schema/limits.hpp"
#include "schema/violation.hpp"

namespace holdfast::schema {

/// Runs a program on one value. Without a list of violations it stops at the first fault; with a
/// list it continues and collects. Each keyword on each value costs a step, and nested evaluations
/// are counted, so cyclic references and multiplying alternatives terminate.
///
/// Thread-safety: none; make one for each run.
class Evaluator {
public:
    Evaluator(const Program& program, const ValidateLimits& limits,
              ViolationList* violations = nullptr) noexcept;

    [[nodiscard]] Verdict run(NodeIndex node, const boost::json::value& value);

    [[nodiscard]] std::uint64_t steps_left() const noexcept { return work_.steps; }

private:
    using Value = boost::json::value;

    /// The resources from the root to this node, for `$dynamicRef`.
    struct Scope {
        const Scope* outer = nullptr;
        std::uint32_t resource = 0;
    };

    struct Context {
        NodeIndex node = kNoNode;
        const Value& value;
        const Scope* scope = nullptr;
        const Place* place = nullptr;
        Evaluated* evaluated = nullptr;  ///< Null if no keyword needs it.
    };

    // Evaluate a node on the same value, on a part of it, and without collecting.
    bool check(NodeIndex node, const Context& from);
    bool check_child(NodeIndex node, const Value& child, const Context& from, Place place);
    bool try_branch(NodeIndex node, const Context& from);
    bool hand_on(const Evaluated& own, const Context& to);
    bool run_instructions(const Node& node, const Context& context);
    bool run_one(const Instruction& instruction, const Context& context);
    bool fail(const Instruction& instruction, const Context& context);

    bool type(const Instruction& instruction, const Context& context);
    bool number(const Instruction& instruction, const Context& context);
    bool length(const Instruction& instruction, const Context& context);
    bool pattern(const Instruction& instruction, const Context& context);
    bool enumeration(const Instruction& instruction, const Context& context);

    bool required(const Instruction& instruction, const Context& context);
    bool dependent_required(const Instruction& instruction, const Context& context);
    bool dependent_schemas(const Instruction& instruction, const Context& context);
    bool members(const Instruction& instruction, const Context& context);
    bool property_names(const Instruction& instruction, const Context& context);
    bool unevaluated_properties(const Instruction& instruction, const Context& context);

    bool items(const Instruction& instruction, const Context& context);
    bool contains(const Instruction& instruction, const Context& context);
    bool unevaluated_items(const Instruction& instruction, const Context& context);

    bool all_of(const Instruction& instruction, const Context& context);
    bool any_of(const Instruction& instruction, const Context& context);
    bool one_of(const Instruction& instruction, const Context& context);
    bool conditional(const Instruction& instruction, const Context& context);
    bool dynamic_reference(const Instruction& instruction, const Context& context);
    bool fail_alternatives(const Instruction& instruction, const Context& context);

    [[nodiscard]] bool matches(std::uint32_t pattern, std::string_view text);
    [[nodiscard]] bool should_continue(bool is_valid_so_far) const noexcept;

    const Program& program_;
    WorkLeft work_;
    std::size_t depth_left_;
    ViolationList* violations_;  // null while faults are not collected
};

}  // namespace holdfast::schema
