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
    std::string_view arguments = {};  ///< Of the call, as JSON; for the text of the tool.
};

struct ReadAnswer {
    downstream::CallResult result;  ///< Of the tool, or what is wrong with the answer.
    /// Fields that the text of the tool shows and the answer lacks: indexes into its `fields`.
    std::vector<std::size_t> missing_fields = {};
};

/// `secrets` are not shown in faults, even if the backend repeats them.
[[nodiscard]] ReadAnswer read_answer(const RestApi& api, const RestTool& tool,
                                     const RestResponse& response,
                                     const std::vector<std::string>& secrets);

/// What the backend says about an error: a text, or JSON; the start of the body when it is not
/// where the config looks for it.
[[nodiscard]] std::string error_detail_of(const RestApi& api, const RestTool& tool,
                                          const RestResponse& response);

/// An answer with that `result` object, as if a server had sent it.
[[nodiscard]] downstream::Answer answer_with(std::string_view result);
/// A result that is made here, since nothing can be sent.
[[nodiscard]] downstream::Answer refusal_with(std::string_view words, RefusalForm form);

}  // namespace holdfast::rest
