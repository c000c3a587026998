#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "downstream/answer.hpp"
#include "downstream/wire_text.hpp"

namespace holdfast::test {

inline downstream::Answer answer_in(std::string_view member, const std::string& body,
                                    mcp::Era era = mcp::Era::legacy) {
    std::string text = R"({"jsonrpc":"2.0","id":7,")";
    text.append(member).append("\":").append(body).append("}");
    return *downstream::read_answer(jsonrpc::PaddedText{std::move(text)}, era);

}  // namespace detail

/// A result of a legacy server.
[[nodiscard]] inline downstream::Answer legacy_result(const std::string& body) {
    return answer_in("result", body);
}

/// A result of a modern server, which includes its type.
[[nodiscard]] inline downstream::Answer modern_result(const std::string& body) {
    downstream::Answer answer = answer_in("result", body, mcp::Era::modern);
    answer.has_result_type = true;
    return answer;
}

/// An error object; `rest` are its members after the code.
[[nodiscard]] inline downstream::Answer error_answer(int code, const std::string& rest) {
    return answer_in("error", R"({"code":)" + std::to_string(code) + "," + rest + "}");
}

}  // namespace holdfast::test
