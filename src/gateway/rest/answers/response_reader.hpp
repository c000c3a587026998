#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "downstream/answer.hpp"
#include "net/http_message.hpp"
#include "rest/rest_api.hpp"

namespace holdfast::rest {

/// An answer of the backend.
struct RestResponse {
    int status = 200;
    const net::HttpHeaders& headers;
    std::string_view body = {};
    /// The call's arguments as JSON; the tool's template may show them.
    std::string_view arguments = {};
};

struct ReadAnswer {
    downstream::CallResult result;  ///< The tool's result, or what is wrong with the answer.
    /// Fields that the tool's template shows and the answer lacks: indexes into its `fields`.
    std::vector<std::size_t> missing_fields = {};
};

/// Faults never contain `secrets`, even if the backend repeats them.
[[nodiscard]] ReadAnswer read_answer(const RestApi& api, const RestTool& tool,
                                     const RestResponse& response,
                                     const std::vector<std::string>& secrets);

/// Returns what the backend says about an error, as text or JSON. Falls back to the start of the
/// body if the body has nothing at the configured paths.
[[nodiscard]] std::string error_detail_of(const RestApi& api, const RestTool& tool,
                                          const RestResponse& response);

/// Returns an answer with this `result` object, as if a server had sent it.
[[nodiscard]] downstream::Answer answer_with(std::string_view result);
/// Returns a result for a call that is not sent.
[[nodiscard]] downstream::Answer refusal_with(std::string_view words, RefusalForm form);

}  // namespace holdfast::rest
