#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "downstream/credential.hpp"
#include "holdfast/resilience/time.hpp"
#include "net/http_url.hpp"
#include "rest/answer_template.hpp"
#include "rest/body_template.hpp"
#include "rest/json_path.hpp"
#include "rest/path_template.hpp"

namespace holdfast::rest {

/// A query parameter or a header, and the source of its value.
struct NamedValue {
    std::string name = {};
    std::string argument = {};  ///< Empty = `text` is sent unchanged.
    std::string text = {};
    /// A list becomes one comma-separated value instead of one per item.
    bool joins_lists = false;

    friend bool operator==(const NamedValue&, const NamedValue&) = default;
};

/// The form that a successful answer must have.
enum class AnswerForm : std::uint8_t {
    any,
    json,  ///< Any other answer is malformed.
};

/// A rule over several arguments. It is not part of the listed schema, because many clients and
/// model APIs accept only flat schemas.
struct ArgumentRule {
    std::string schema = {};    ///< JSON; empty = no rule.
    std::string sentence = {};  ///< For calls that break it.

    friend bool operator==(const ArgumentRule&, const ArgumentRule&) = default;
};

/// One tool, and the request that a call of it becomes. An argument without a place in the path,
/// query, headers or body becomes a member of the JSON body, with the bytes that the agent sent. If
/// the method has no body, or the tool defines its own body, the argument becomes a query
/// parameter.
struct RestTool {
    std::string name = {};
    std::string title = {};
    std::string description = {};
    std::string method = "GET";
    PathTemplate path = {};
    std::vector<NamedValue> query = {};
    std::vector<NamedValue> headers = {};
    std::optional<BodyTemplate> body = std::nullopt;
    bool has_no_body = false;  ///< Overrides the method's default.
    std::string input_schema = R"({"type":"object"})";
    std::optional<bool> is_read_only = std::nullopt;    ///< Unset = derived from the method.
    std::optional<bool> is_idempotent = std::nullopt;   ///< Unset = derived from the method.
    JsonPath result = {};                               ///< The part of the answer to return.
    std::vector<JsonPath> error_detail = {};            ///< Empty = those of the API.
    std::optional<AnswerTemplate> text = std::nullopt;  ///< Unset = agents get the JSON as text.
    ArgumentRule check = {};                            ///< Applied after `input_schema`.
    std::optional<AnswerForm> expects = std::nullopt;   ///< Unset = that of the API.

    friend bool operator==(const RestTool&, const RestTool&) = default;
};

/// How an agent sees a call that is not sent.
enum class RefusalForm : std::uint8_t {
    error,   ///< A result with `isError`.
    result,  ///< A plain result.
};

/// An HTTP API as one downstream: where it is, its tools, its limits.
///
/// Thread-safety: that of a plain value.
struct RestApi {
    net::HttpUrl url = {};     ///< Its target is prepended to the paths of the tools.
    std::string headers = {};  ///< Sent with every request; complete lines. Secret.
    std::vector<downstream::Credential> credentials = {};
    std::vector<RestTool> tools = {};
    resilience::Duration connect_timeout = std::chrono::seconds{10};
    resilience::Duration timeout = std::chrono::seconds{30};  ///< For one whole request.
    std::size_t connections = 32;
    std::size_t kept_alive = 16;
    /// Set by the config; the limit for downstream messages applies as well.
    std::size_t max_answer_bytes = std::size_t{64} * 1024 * 1024;
    AnswerForm expects = AnswerForm::any;
    std::string instructions = {};         ///< For agents; part of the gateway's instructions.
    std::size_t max_detail_bytes = 2'000;  ///< Of the text about an error.
    /// Paths to the error text in the answer to a failed request; the first path that exists is
    /// used.
    std::vector<JsonPath> error_detail = {
        {{"detail"}}, {{"message"}}, {{"error", "message"}}, {{"error"}}, {{"title"}}};
    RefusalForm refusals = RefusalForm::error;

    friend bool operator==(const RestApi&, const RestApi&) = default;
};

}  // namespace holdfast::rest
