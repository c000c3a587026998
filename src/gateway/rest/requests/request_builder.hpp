#pragma once

#include <string>

#include "holdfast/resilience/result.hpp"
#include "rest/arguments.hpp"
#include "rest/rest_api.hpp"

namespace holdfast::rest {

/// What goes to the backend, without the credentials.
struct RestRequest {
    std::string target = {};
    std::string headers = {};  ///< Complete lines.
    std::string body = {};

    friend bool operator==(const RestRequest&, const RestRequest&) = default;
};

/// Fails, in words for the agent, when an argument cannot stand in its place.
[[nodiscard]] resilience::Result<RestRequest, ArgumentFault> built_request(
    const RestApi& api, const RestTool& tool, const Arguments& arguments);

/// Whether requests of this method have a body for arguments that have no other place.
[[nodiscard]] bool has_body(std::string_view method) noexcept;

}  // namespace holdfast::rest
