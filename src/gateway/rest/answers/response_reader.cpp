#include "rest/answers/response_reader.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "base/text_cut.hpp"
#include "base/utf8.hpp"
#include "downstream/http_fault.hpp"
#include "jsonrpc/json_text.hpp"
#include "jsonrpc/message_writer.hpp"
#include "mcp/base64.hpp"

namespace holdfast::rest {
namespace {

using downstream::CallResult;

/// Returns `application/json` for `Application/JSON; charset=utf-8`.
std::string media_type_of(const net::HttpHeaders& headers) {
    std::string_view value = headers.find("Content-Type").value_or("");
    value = value.substr(0, value.find_first_of("; \t"));
    std::string type{value};
    std::ranges::transform(type, type.begin(), [](char one) {
        return one >= 'A' && one <= 'Z' ? static_cast<char>(one - 'A' + 'a') : one;
    });
    return type;
}

bool is_json_type(std::string_view type) {
    return type == "application/json" || type == "text/json" || type.ends_with("+json");
}

bool is_text_type(std::string_view type) {
    return type.empty() || type.starts_with("text/") || is_json_type(type) ||
           type.ends_with("xml") || type == "application/problem+json";
}

std::string text_block(std::string_view text) {
    return R"({"content":[{"type":"text","text":)" + jsonrpc::quoted_text(text) + "}]";
}

/// Returns the decoded characters of a JSON string; any other value stays as it is written.
std::string shown(const std::string& json) {
    return json.starts_with('"') ? jsonrpc::decoded(json) : json;
}

/// MCP requires an object in `structuredContent`, so lists and plain values are wrapped.
void append_structure(std::string& result, std::string_view value) {
    result += R"(,"structuredContent":)";
    if (value.starts_with('{')) {
        result.append(value);
    } else {
        result.append(value.starts_with('[') ? R"({"items":)" : R"({"value":)");
        result.append(value).append("}");
    }
}

constexpr std::size_t kMaxPlainBytes = RenderLimits{}.max_output_bytes;

/// Agents read the rendered text; programs find the whole answer in `structuredContent`.
ReadAnswer rendered_result(const AnswerTemplate& text, std::string_view value,
                           std::string_view arguments) {
    auto rendered = text.rendered(value, arguments);
    std::string result =
        text_block(rendered ? rendered->text : base::beginning_of(value, kMaxPlainBytes));
    append_structure(result, value);
    return {.result = answer_with(result + '}'),
            .missing_fields = rendered ? std::move(rendered->missing) : std::vector<std::size_t>{}};
}

ReadAnswer json_result(const JsonText& json, const RestTool& tool, std::string_view arguments) {
    const std::string value = json.part(tool.result).value_or(std::string{json.whole()});
    if (tool.text) {
        return rendered_result(*tool.text, value, arguments);
    }
    std::string result = text_block(shown(value));
    if (value.starts_with('{')) {
        append_structure(result, value);
    }
    return {.result = answer_with(result + '}')};
}

CallResult media_result(std::string_view type, std::string_view bytes) {
    const std::string_view kind = type.substr(0, type.find('/'));
    std::string result = R"({"content":[{"type":")";
    result.append(kind).append(R"(","data":")").append(mcp::base64_of(bytes));
    result.append(R"(","mimeType":)").append(jsonrpc::quoted_text(type)).append("}]}");
    return answer_with(result);
}

CallResult text_result(std::string_view body) {
    // Replaced bytes would be an answer that the server did not give.
    return base::valid_utf8_bytes(body) == body.size()
               ? CallResult{answer_with(text_block(body) + '}')}
               : CallResult{downstream::malformed_fault(
                     "The server's answer is neither JSON nor text in UTF-8.")};
}

/// Returns why an answer cannot be the JSON that the tool expects; empty if it may be JSON.
std::string fault_of_form(std::string_view type, const RestResponse& response) {
    if (response.body.empty()) {
        return fmt::format(
            "The server answered with HTTP status {} and no content instead of JSON.",
            response.status);
    }
    if (!type.empty() && !is_json_type(type)) {
        return fmt::format(
            "The server answered with HTTP status {} and the content type \"{}\" instead of JSON.",
            response.status, downstream::cleaned_excerpt(type));
    }
    return {};
}

ReadAnswer success_of(const RestTool& tool, AnswerForm expected, const RestResponse& response) {
    const std::string type = media_type_of(response.headers);
    if (expected == AnswerForm::json) {
        if (std::string fault = fault_of_form(type, response); !fault.empty()) {
            return {.result = downstream::malformed_fault(std::move(fault))};
        }
    }
    if (response.body.empty()) {
        return {.result =
                    answer_with(text_block("The server answered with HTTP status " +
                                           std::to_string(response.status) + " and no content.") +
                                '}')};
    }
    if (type.starts_with("image/") || type.starts_with("audio/")) {
        return {.result = media_result(type, response.body)};
    }
    const auto json = JsonText::checked(response.body);
    if (json) {
        return json_result(*json, tool, response.arguments);
    }
    if (is_json_type(type)) {
        return {.result = downstream::malformed_fault(
                    "The server's answer claims to be JSON, but is not: " +
                    downstream::cleaned_excerpt(response.body))};
    }
    if (expected == AnswerForm::json) {
        return {.result = downstream::malformed_fault("The server's answer is not JSON: " +
                                                      downstream::cleaned_excerpt(response.body))};
    }
    return {.result = text_result(response.body)};
}

/// Redirects are not followed. The server processed the request, so it may have taken effect.
downstream::CallFault redirect_fault(const RestResponse& response) {
    downstream::CallFault fault =
        downstream::fault_of_status(response.status, response.headers, {});
    fault.delivery = resilience::Delivery::sent;
    return fault;
}

std::optional<std::string> detail_in(const JsonText& body, const std::vector<JsonPath>& paths) {
    for (const JsonPath& path : paths) {
        const auto part = body.part(path);
        if (part && *part != "null" && *part != "\"\"") {
            return shown(*part);
        }
    }
    return std::nullopt;
}

}  // namespace

ReadAnswer read_answer(const RestApi& api, const RestTool& tool, const RestResponse& response,
                       const std::vector<std::string>& secrets) {
    if (response.status >= 200 && response.status < 300) {
        ReadAnswer read = success_of(tool, tool.expects.value_or(api.expects), response);
        if (!read.result) {
            read.result.error().message =
                downstream::without_secrets(read.result.error().message, secrets);
        }
        return read;
    }
    if (response.status >= 300 && response.status < 400) {
        return {.result = redirect_fault(response)};
    }
    const std::string detail =
        downstream::without_secrets(error_detail_of(api, tool, response), secrets);
    downstream::CallFault fault =
        downstream::fault_of_status(response.status, response.headers, detail);
    fault.detail = detail;
    return {.result = std::move(fault)};
}

std::string error_detail_of(const RestApi& api, const RestTool& tool,
                            const RestResponse& response) {
    if (!is_text_type(media_type_of(response.headers))) {
        return {};
    }
    std::optional<std::string> detail;
    if (const auto json = JsonText::checked(response.body)) {
        detail = detail_in(*json, tool.error_detail.empty() ? api.error_detail : tool.error_detail);
    }
    return downstream::cleaned_excerpt(detail ? std::string_view{*detail} : response.body,
                                       api.max_detail_bytes);
}

downstream::Answer answer_with(std::string_view result) {
    jsonrpc::PaddedText text{jsonrpc::result_text("1", result)};
    const std::string_view whole = text.view();
    const std::string_view body = whole.substr(whole.size() - 1 - result.size(), result.size());
    return {std::move(text), body, false};
}

downstream::Answer refusal_with(std::string_view words, RefusalForm form) {
    std::string result = text_block(words);
    result += form == RefusalForm::error ? R"(,"isError":true})" : "}";
    downstream::Answer answer = answer_with(result);
    answer.says_error = form == RefusalForm::error;
    answer.delivery = resilience::Delivery::not_sent;
    return answer;
}

}  // namespace holdfast::rest
