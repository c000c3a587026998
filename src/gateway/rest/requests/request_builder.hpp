#pragma once

#include <string>

#include "holdfast/resilience/result.hpp"
#include "rest/arguments.hpp"
#include "rest/rest_api.hpp"

namespace holdfast::rest {

/// The request to the backend, without credentials.
struct RestRequest {
    std::string target = {};
    std::string headers = {};  ///< Complete header lines.
    std::string body = {};

    friend bool operator==(const RestRequest&, const RestRequest&) = default;
};

/// Fails with a sentence for the agent if an argument does not fit its place in the request.
[[nodiscard]] resilience::Result<RestRequest, ArgumentFault> built_request(
    const RestApi& api, const RestTool& tool, const Arguments& arguments);

/// Whether requests of this method carry arguments without an assigned place in their body.
[[nodiscard]] bool has_body(std::string_view method) noexcept;

}  // namespace holdfast::rest
