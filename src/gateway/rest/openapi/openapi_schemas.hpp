#pragma once

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "rest/openapi.hpp"

namespace holdfast::rest {

/// Follows local references, up to a small number of steps. Returns null if a reference points to
/// nothing, leaves the document or is circular. A value that is not a reference is returned itself.
[[nodiscard]] const boost::json::value* resolved(const boost::json::value& document,
                                                 const boost::json::value& value);

/// Copies schemas out of an OpenAPI document for one tool, so that they are self-contained.
/// References to `components.schemas` become references to `$defs`; the copies collect the
/// definitions they need, so schemas may be recursive. OpenAPI 3.0 dialect becomes JSON Schema
/// 2020-12.
///
/// Thread-safety: none; the document must outlive it.
class OpenApiSchemas final {
public:
    OpenApiSchemas(const boost::json::value& document, const OpenApiOptions& options);

    [[nodiscard]] boost::json::value copied(const boost::json::value& schema);
    /// Returns all definitions that the copies refer to. Check `fault` afterwards.
    [[nodiscard]] boost::json::object take_definitions();

    /// Why a copy is incomplete; empty if all copies are complete.
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
    std::vector<std::string> wanted_;  // names of definitions, in order of discovery
    std::string fault_;
};

}  // namespace holdfast::rest
