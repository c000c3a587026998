#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "downstream/answer.hpp"

namespace holdfast::gateway::testing {

namespace detail {

inline downstream::Answer answer_in(std::string_view member, const std::string& body,
                                    bool is_error) {
    std::string before = R"({"jsonrpc":"2.0","id":7,")";
    before.append(member).append("\":");
    jsonrpc::PaddedText text{before + body + "}"};
    const std::string_view view = text.view().substr(before.size(), body.size());
    return {std::move(text), view, is_error};
}

}  // namespace detail

/// A result of a legacy server.
[[nodiscard]] inline downstream::Answer legacy_result(const std::string& body) {
    return detail::answer_in("result", body, false);
}

/// A result of a modern server, which names its type itself.
[[nodiscard]] inline downstream::Answer modern_result(const std::string& body) {
    downstream::Answer answer = detail::answer_in("result", body, false);
    answer.has_result_type = true;
    if (body.find(R"("resultType":"input_required")") != std::string::npos) {
        answer.result_type = downstream::ResultType::input_required;
    }
    return answer;
}

/// An error object; `rest` are its members after the code.
[[nodiscard]] inline downstream::Answer error_answer(int code, const std::string& rest) {
    downstream::Answer answer =
        detail::answer_in("error", R"({"code":)" + std::to_string(code) + "," + rest + "}", true);
    answer.error_code = code;
    return answer;
}

}  // namespace holdfast::gateway::testing
