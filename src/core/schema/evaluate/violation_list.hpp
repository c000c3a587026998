#pragma once

#include <cstddef>
#include <string_view>

#include <boost/json/value.hpp>

#include "schema/compile/program.hpp"
#include "schema/limits.hpp"
#include "schema/violation.hpp"

namespace holdfast::schema {

/// One step of the path from the root of the value to a part of it.
struct Place {
    const Place* outer = nullptr;
    std::string_view key{};
    std::size_t index = 0;
    bool is_key = false;
    const boost::json::value* whole = nullptr;  ///< The object or array that contains the part.
};

struct Failure {
    NodeIndex node = kNoNode;
    const Instruction& instruction;
    const boost::json::value& value;
    const Place* place = nullptr;
};

/// Turns failures into violations with text, up to a limit.
///
/// Thread-safety: none.
class ViolationList {
public:
    ViolationList(const Program& program, const ValidateLimits& limits, Report& report)
        : program_(program), limits_(limits), report_(report) {}

    void add(const Failure& failure);

    /// Returns whether more than the limit was added; nothing more is stored then.
    [[nodiscard]] bool is_full() const noexcept { return report_.truncated; }

private:
    const Program& program_;
    const ValidateLimits& limits_;
    Report& report_;
};

}  // namespace holdfast::schema
