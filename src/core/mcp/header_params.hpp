#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <boost/json/value.hpp>

#include "holdfast/resilience/result.hpp"

namespace holdfast::mcp {

using resilience::Result;

/// An argument of a tool that HTTP requests repeat in a header, because its schema has
/// `x-mcp-header`.
struct HeaderParam {
    std::vector<std::string> path;  ///< Names of the properties that lead to the argument.
    std::string header;             ///< `Mcp-Param-` and the annotation's value.
};

/// What is wrong with a tool's annotations. An HTTP downstream must not offer such a tool.
struct HeaderParamFault {
    std::string message;
};

/// Returns the annotated arguments of a tool's input schema. An annotation is legal on a property
/// of type string, integer or boolean that is reached through `properties` only. Its value is a
/// header token and must be unique.
[[nodiscard]] Result<std::vector<HeaderParam>, HeaderParamFault> header_params(
    const boost::json::value& input_schema);

/// Returns the header text of an argument before encoding. Nothing if the argument is absent, null,
/// or of a type without a header form.
[[nodiscard]] std::optional<std::string> header_text_of(const HeaderParam& param,
                                                        const boost::json::value& arguments);

/// Returns whether the decoded header, or its absence, matches the argument. Integers are compared
/// as numbers, everything else byte by byte.
[[nodiscard]] bool repeats_argument(std::optional<std::string_view> header,
                                    const HeaderParam& param, const boost::json::value& arguments);

}  // namespace holdfast::mcp
