#pragma once

#include <boost/json/value.hpp>
#include <string>
#include <string_view>

#include "holdfast/resilience/result.hpp"
#include "rest/openapi.hpp"
#include "rest/rest_api.hpp"

namespace holdfast::rest {

/// One operation and its position in the document.
struct OpenApiOperation {
    const boost::json::value& document;
    std::string_view path = {};
    const boost::json::value& path_item;
    std::string_view method = {};  ///< In upper case.
    const boost::json::value& operation;
};

/// Returns the tool without a name, or why it cannot be built, as the end of a sentence.
[[nodiscard]] resilience::Result<RestTool, OpenApiFault> tool_of(const OpenApiOperation& operation,
                                                                 const OpenApiOptions& options);

/// Returns the `operationId`, or else method and path, as a valid tool name.
[[nodiscard]] std::string tool_name_of(const OpenApiOperation& operation);

}  // namespace holdfast::rest
