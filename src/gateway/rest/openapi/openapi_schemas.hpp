#pragma once

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "rest/openapi.hpp"

namespace holdfast::rest {

/// The value that a local reference leads to, over at most a few steps; null when it leads nowhere,
/// outside or in a circle. A value that is no reference is itself.
[[nodiscard]] const boost::json::value* resolved(const boost::json::value& document,
                                                 const boost::json::value& value);

/// Copies schemas out of an OpenAPI document for one tool, so that they stand alone: references to
/// `components.schemas` become references to `$defs`, which are gathered on the way, so that
/// schemas may be recursive. What OpenAPI 3.0 writes in a way of its own becomes JSON Schema
/// 2020-12.
///
/// Thread-safety: none; the document must outlive it.
class OpenApiSchemas final {
public:
    OpenApiSchemas(const boost::json::value& document, const OpenApiOptions& options);

    [[nodiscard]] boost::json::value copied(const boost::json::value& schema);
    /// Everything that the copies refer to. Look at `fault` afterwards.
    [[nodiscard]] boost::json::object take_definitions();

    /// Why a copy is not whole; empty when all are.
    [[nodiscard]] const std::string& fault() const noexcept { return fault_; }

private:
    [[nodiscard]] boost::json::value copied(const boost::json::value& schema, std::size_t depth);
    [[nodiscard]] boost::json::value copied_map(const boost::json::value& map, std::size_t depth);
    [[nodiscard]] std::string renamed(std::string_view reference);
    void modernise(boost::json::object& schema) const;

    const boost::json::value& document_;
    const OpenApiOptions& options_;
    const bool is_version_3_0_;
    std::size_t nodes_left_;
    std::vector<std::string> wanted_;  // names of definitions, in the order of their discovery
    std::string fault_;
};

}  // namespace holdfast::rest
