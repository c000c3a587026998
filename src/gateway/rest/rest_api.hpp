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

/// A parameter of a query, or a header, and where its value comes from.
struct NamedValue {
    std::string name = {};
    std::string argument = {};  ///< Empty = `text` is sent as it is.
    std::string text = {};
    bool joins_lists = false;  ///< A list is one value with commas, instead of one for each item.

    friend bool operator==(const NamedValue&, const NamedValue&) = default;
};

/// What the answer to a good request must be.
enum class AnswerForm : std::uint8_t {
    any,
    json,  ///< Anything else is malformed.
};

/// A rule over several arguments. It is not part of the listed schema, because many clients and
/// model APIs take only flat ones.
struct ArgumentRule {
    std::string schema = {};    ///< JSON; empty = there is none.
    std::string sentence = {};  ///< For calls that break it.

    friend bool operator==(const ArgumentRule&, const ArgumentRule&) = default;
};

/// One tool, and the request that a call of it becomes. An argument that has no place in the path,
/// query, headers or body goes into the body of a method that has one, as a member of an object
/// with the bytes that the agent wrote; with any other method, or a body of its own, into the
/// query.
struct RestTool {
    std::string name = {};
    std::string title = {};
    std::string description = {};
    std::string method = "GET";
    PathTemplate path = {};
    std::vector<NamedValue> query = {};
    std::vector<NamedValue> headers = {};
    std::optional<BodyTemplate> body = std::nullopt;
    bool has_no_body = false;  ///< Whatever the method.
    std::string input_schema = R"({"type":"object"})";
    std::optional<bool> is_read_only = std::nullopt;    ///< Nothing = as the method says.
    std::optional<bool> is_idempotent = std::nullopt;   ///< Nothing = as the method says.
    JsonPath result = {};                               ///< The part of the answer that matters.
    std::vector<JsonPath> error_detail = {};            ///< None = those of the whole API.
    std::optional<AnswerTemplate> text = std::nullopt;  ///< Nothing = agents get the JSON as text.
    ArgumentRule check = {};                            ///< Applied after `input_schema`.
    std::optional<AnswerForm> expects = std::nullopt;   ///< Nothing = that of the whole API.

    friend bool operator==(const RestTool&, const RestTool&) = default;
};

/// How the agent is told of a call that is not sent.
enum class RefusalForm : std::uint8_t {
    error,   ///< A result with `isError`.
    result,  ///< A plain result.
};

/// An HTTP API as one downstream: where it is, its tools, its limits.
///
/// Thread-safety: that of a plain value.
struct RestApi {
    net::HttpUrl url = {};     ///< Its target is put before the paths of the tools.
    std::string headers = {};  ///< Of all requests; complete lines. Secret.
    std::vector<downstream::Credential> credentials = {};
    std::vector<RestTool> tools = {};
    resilience::Duration connect_timeout = std::chrono::seconds{10};
    resilience::Duration timeout = std::chrono::seconds{30};  ///< Of one request, whole.
    std::size_t connections = 32;
    std::size_t kept_alive = 16;
    /// Of the config; the limit of all downstream messages applies as well.
    std::size_t max_answer_bytes = std::size_t{64} * 1024 * 1024;
    AnswerForm expects = AnswerForm::any;
    std::string instructions = {};         ///< For agents; joined into those of the gateway.
    std::size_t max_detail_bytes = 2'000;  ///< Of what it says about an error.
    /// Where the answer to a failed request says what is wrong; the first that is there counts.
    std::vector<JsonPath> error_detail = {
        {{"detail"}}, {{"message"}}, {{"error", "message"}}, {{"error"}}, {{"title"}}};
    RefusalForm refusals = RefusalForm::error;

    friend bool operator==(const RestApi&, const RestApi&) = default;
};

}  // namespace holdfast::rest
