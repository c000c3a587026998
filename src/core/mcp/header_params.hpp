#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <boost/json/value.hpp>

#include "holdfast/resilience/result.hpp"

namespace holdfast::mcp {

using resilience::Result;

/// An argument of a tool that HTTP requests repeat in a header, as its schema says by
/// `x-mcp-header`.
struct HeaderParam {
    std::vector<std::string> path;  ///< Names of the properties on the way to the argument.
    std::string header;             ///< `Mcp-Param-` and the annotation's value.
};

/// What is wrong with a tool's annotations; such a tool must not be offered by an HTTP downstream.
struct HeaderParamFault {
    std::string message;
};

/// The annotated arguments of a tool's input schema. An annotation is legal on a property of type
/// string, integer or boolean that is reached through `properties` alone; its value is a header
/// token, used once.
[[nodiscard]] Result<std::vector<HeaderParam>, HeaderParamFault> header_params(
    const boost::json::value& input_schema);

/// The text that stands for an argument in its header, before encoding. None if the argument is
/// absent or null, or is of a type that has no header form.
[[nodiscard]] std::optional<std::string> header_text_of(const HeaderParam& param,
                                                        const boost::json::value& arguments);

/// Whether the decoded header, or its absence, repeats the argument. Integers are compared as
/// numbers, everything else by its bytes.
[[nodiscard]] bool repeats_argument(std::optional<std::string_view> header,
                                    const HeaderParam& param, const boost::json::value& arguments);

}  // namespace holdfast::mcp
