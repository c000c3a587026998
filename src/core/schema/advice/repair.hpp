#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include <boost/json/value.hpp>

#include "schema/advice/sampler.hpp"
#include "schema/advice/shape.hpp"
#include "schema/compile/program.hpp"

namespace holdfast::schema {

/// Turns an invalid value into a valid one with as few changes as possible.
///
/// Thread-safety: none; make one for each task.
class Repair {
public:
    explicit Repair(const Program& program) noexcept : program_(program), sampler_(program) {}

    [[nodiscard]] boost::json::value repaired(NodeIndex node, const boost::json::value& sent);

private:
    using Value = boost::json::value;

    [[nodiscard]] Value mended(NodeIndex node, const Value& sent);
    [[nodiscard]] std::optional<Value> mended_parts(NodeIndex node, const Value& sent);
    [[nodiscard]] Value object(NodeIndex node, const boost::json::object& sent);
    void keep_others(NodeIndex node, const boost::json::object& sent, boost::json::object& out);
    [[nodiscard]] Value list(NodeIndex node, const boost::json::array& sent);
    [[nodiscard]] std::vector<Value> candidates(NodeIndex node, const Value& sent);
    void add_coercions(std::uint32_t kinds, const Value& sent, std::vector<Value>& out);
    void add_near_values(NodeIndex node, const Value& sent, std::vector<Value>& out);

    const Program& program_;
    Sampler sampler_;
    std::uint32_t repairs_left_ = 500;
    std::uint32_t depth_left_ = 16;
};

}  // namespace holdfast::schema
