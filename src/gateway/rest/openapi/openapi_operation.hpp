#pragma once

#include <boost/json/value.hpp>
#include <string>
#include <string_view>

#include "holdfast/resilience/result.hpp"
#include "rest/openapi.hpp"
#include "rest/rest_api.hpp"

namespace holdfast::rest {

/// One operation in its place in the document.
struct OpenApiOperation {
    const boost::json::value& document;
    std::string_view path = {};
    const boost::json::value& path_item;
    std::string_view method = {};  ///< In capitals.
    const boost::json::value& operation;
};

/// The tool without a name, or why there can be none: the end of a sentence.
[[nodiscard]] resilience::Result<RestTool, OpenApiFault> tool_of(const OpenApiOperation& operation,
                                                                 const OpenApiOptions& options);

/// The `operationId`, else method and path, as a tool may be called.
[[nodiscard]] std::string tool_name_of(const OpenApiOperation& operation);

}  // namespace holdfast::rest
