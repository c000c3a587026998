#pragma once

#include <cstdint>
#include <span>

#include <boost/json/value.hpp>

#include "schema/compile/program.hpp"

namespace holdfast::schema {

/// Makes valid sample values for a schema: its default, its first example or enumerated value,
/// otherwise a plain value of its type within its limits.
///
/// Thread-safety: none; make one for each task, because it counts its remaining work.
class Sampler {
public:
    explicit Sampler(const Program& program) noexcept : program_(program) {}

    [[nodiscard]] boost::json::value sample(NodeIndex node);

    /// Returns whether a value is valid for a node. False when the work limit is reached.
    [[nodiscard]] bool fits(NodeIndex node, const boost::json::value& value);

private:
    [[nodiscard]] bool offered(NodeIndex node, boost::json::value& out);
    [[nodiscard]] bool from_reference(NodeIndex node, boost::json::value& out);
    [[nodiscard]] bool from_branches(NodeIndex node, boost::json::value& out);
    [[nodiscard]] boost::json::value first_fitting(NodeIndex node,
                                                   std::span<const boost::json::value> candidates);
    [[nodiscard]] boost::json::value number(NodeIndex node);
    [[nodiscard]] boost::json::value text(NodeIndex node);
    [[nodiscard]] boost::json::value list(NodeIndex node);
    [[nodiscard]] boost::json::value object(NodeIndex node);

    const Program& program_;
    std::uint64_t steps_left_ = 400'000;
    std::uint32_t samples_left_ = 300;
    std::uint32_t depth_left_ = 8;
};

}  // namespace holdfast::schema
