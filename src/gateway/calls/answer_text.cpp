#include "calls/answer_text.hpp"

#include <optional>

#include "jsonrpc/json_text.hpp"
#include "jsonrpc/json_writer.hpp"
#include "jsonrpc/message_writer.hpp"
#include "jsonrpc/object_edit.hpp"
#include "jsonrpc/thread_reader.hpp"
#include "mcp/method.hpp"
#include "mcp/protocol_error.hpp"

namespace holdfast::calls {
namespace {

using downstream::Answer;
using jsonrpc::ObjectEdit;
using jsonrpc::ObjectView;

constexpr std::string_view kServerInfoKey = "io.modelcontextprotocol/serverInfo";

bool is_empty_object(std::string_view object) {
    return object.find_first_not_of(" \t\r\n", 1) == object.size() - 1;
}

// Inserts the members at the front and keeps all other bytes.
std::string with_members_first(std::string_view object, std::string_view members) {
    std::string text = "{";
    text.append(members);
    if (!is_empty_object(object)) {
        text += ',';
    }
    return text.append(object.substr(1));
}

std::string marked_complete(const AnsweredRequest& request, const Answer& answer) {
    std::string members = R"("resultType":"complete")";
    const mcp::Method* method = mcp::find_method(request.method);
    if (method != nullptr && method->has_cache_hints) {
        const ObjectView result = jsonrpc::part_reader().read_object(answer.text(), answer.body());
        members += result.find("ttlMs") ? "" : R"(,"ttlMs":0)";
        members += result.find("cacheScope") ? "" : R"(,"cacheScope":"private")";
    }
    return with_members_first(answer.body(), members);
}

std::string without_server_info(std::string_view meta) {
    const jsonrpc::PaddedText text{std::string{meta}};
    return ObjectEdit{jsonrpc::part_reader().read_object(text, text.view())}
        .remove(kServerInfoKey)
        .text();
}

// Removes what a modern downstream adds, because an old client may be strict.
std::string without_modern_members(const Answer& answer) {
    jsonrpc::MessageReader& reader = jsonrpc::part_reader();
    std::string meta;
    if (const auto found = reader.read_object(answer.text(), answer.body()).find("_meta");
        found && found->starts_with('{')) {
        meta = without_server_info(*found);
    }
    const ObjectView result = reader.read_object(answer.text(), answer.body());
    ObjectEdit edit{result};
    edit.remove("resultType").remove("ttlMs").remove("cacheScope");
    // Legacy clients fail on structured content other than an object.
    const auto structured = result.find("structuredContent");
    if (structured && !structured->starts_with('{')) {
        edit.remove("structuredContent");
    }
    if (!meta.empty()) {
        is_empty_object(meta) ? edit.remove("_meta") : edit.set("_meta", meta);
    }
    return edit.text();
}

std::string tool_error(std::string_view message) {
    jsonrpc::JsonWriter writer;
    writer.begin_object().key("content").begin_array().begin_object();
    writer.key("type").text("text");
    writer.key("text").text(message);
    writer.end_object().end_array().key("isError").boolean(true).end_object();
    return writer.take();
}

// The message of an error object, for an agent that would not understand its code. An answer is
// read as an error only if it has a message.
std::string message_in(const Answer& answer) {
    const ObjectView error = jsonrpc::part_reader().read_object(answer.text(), answer.body());
    return jsonrpc::decoded(error.find("message").value_or(R"("")"));
}

// The same error under a code that the agent's era knows. `data` is used if the error has no data.
std::string recoded(const Answer& answer, int code, std::string_view data = {}) {
    const std::string number = std::to_string(code);
    const std::string message = jsonrpc::quoted_text(message_in(answer));
    const ObjectView error = jsonrpc::part_reader().read_object(answer.text(), answer.body());
    ObjectEdit edit{error};
    edit.set("code", number).set("message", message);
    if (!data.empty() && !error.find("data")) {
        edit.set("data", data);
    }
    return edit.text();
}

// A modern agent recognises an unknown resource by the URI in the data of the error, which a legacy
// server does not send.
std::string with_uri(const AnsweredRequest& request, const Answer& answer) {
    if (request.method != "resources/read" || request.uri.empty()) {
        return std::string{answer.body()};
    }
    const jsonrpc::PaddedText text{std::string{answer.body()}};
    const auto data = jsonrpc::part_reader().read_object(text, text.view()).find("data");
    const bool has_other_data = data && !data->starts_with('{');
    if (has_other_data || (data && jsonrpc::part_reader().read_object(text, *data).find("uri"))) {
        return std::string{answer.body()};
    }
    return jsonrpc::with_member(
        text.view(), "data",
        jsonrpc::with_member(data.value_or("{}"), "uri", jsonrpc::quoted_text(request.uri)));
}

bool is_modern_code(int code) {
    return code == mcp::kHeaderMismatch || code == mcp::kMissingClientCapability ||
           code == mcp::kUnsupportedVersion;
}

AnswerText error_for_legacy(const AnsweredRequest& request, const Answer& answer) {
    if (!is_modern_code(answer.error_code)) {
        return {.message = jsonrpc::relayed_error_text(request.id, answer.body())};
    }
    if (request.method == "tools/call") {
        return {.message = jsonrpc::result_text(request.id, tool_error(message_in(answer)))};
    }
    return {.message =
                jsonrpc::relayed_error_text(request.id, recoded(answer, mcp::kInternalError))};
}

AnswerText error_for_modern(const AnsweredRequest& request, const Answer& answer) {
    switch (answer.error_code) {
        case mcp::kMissingClientCapability:
            return {.message = jsonrpc::relayed_error_text(request.id, answer.body()),
                    .http_status = 400};
        case mcp::kInvalidParams:
            return {.message = jsonrpc::relayed_error_text(request.id, with_uri(request, answer))};
        case mcp::kResourceNotFound: {
            const std::string data = R"({"uri":)" + jsonrpc::quoted_text(request.uri) + "}";
            return {.message = jsonrpc::relayed_error_text(
                        request.id, recoded(answer, mcp::kInvalidParams,
                                            request.uri.empty() ? std::string_view{} : data))};
        }
        case mcp::kHeaderMismatch:
        case mcp::kUnsupportedVersion:
        case mcp::kUrlElicitationRequired:
            return {.message = jsonrpc::relayed_error_text(request.id,
                                                           recoded(answer, mcp::kInternalError))};
        default:
            return {.message = jsonrpc::relayed_error_text(request.id, answer.body())};
    }
}

// The members that the gateway adds to `_meta`: the id of the call, and the tool that answered if
// it replaced the requested one.
std::string own_meta(const AnsweredRequest& request) {
    std::string members;
    if (!request.call_id.empty()) {
        constexpr std::string_view kKey = R"("dev.holdfast/callId":")";
        members.reserve(kKey.size() + request.call_id.size() + 1);
        members.append(kKey).append(request.call_id).push_back('"');
    }
    if (!request.substitute.empty()) {
        members.append(members.empty() ? "" : ",").append(R"("dev.holdfast/standIn":)");
        jsonrpc::append_quoted(members, request.substitute);
    }
    return members;
}

// The `_meta` of a result that was changed; empty = it has none.
std::string_view meta_in(const jsonrpc::PaddedText& result) {
    const auto found = jsonrpc::part_reader().read_object(result, result.view()).find("_meta");
    return found && found->starts_with('{') ? *found : std::string_view{};
}

// `meta` is the `_meta` of the result; empty = it has none.
std::string result_with_meta(std::string_view id, std::string_view result, std::string_view meta,
                             std::string_view members) {
    if (meta.empty()) {
        return jsonrpc::result_text(
            id, {R"({"_meta":{)", members, is_empty_object(result) ? "}" : "},", result.substr(1)});
    }
    const auto inside = static_cast<std::size_t>(meta.data() - result.data()) + 1;
    return jsonrpc::result_text(id, {result.substr(0, inside), members,
                                     is_empty_object(meta) ? "" : ",", result.substr(inside)});
}

}  // namespace

AnswerText answer_text(const AnsweredRequest& request, const Answer& answer) {
    const bool is_modern = request.era == mcp::Era::modern;
    if (answer.is_error()) {
        return is_modern ? error_for_modern(request, answer) : error_for_legacy(request, answer);
    }
    const std::string meta = own_meta(request);
    const bool is_kept = is_modern == answer.has_result_type;
    if (is_kept) {
        return {.message = meta.empty()
                               ? jsonrpc::result_text(request.id, answer.body())
                               : result_with_meta(request.id, answer.body(), answer.meta(), meta)};
    }
    const jsonrpc::PaddedText changed{is_modern ? marked_complete(request, answer)
                                                : without_modern_members(answer)};
    return {.message = meta.empty()
                           ? jsonrpc::result_text(request.id, changed.view())
                           : result_with_meta(request.id, changed.view(), meta_in(changed), meta)};
}

std::string plain_result(const Answer& answer) {
    return answer.has_result_type ? without_modern_members(answer) : std::string{answer.body()};
}

std::string builtin_result_text(const AnsweredRequest& request, std::string_view result) {
    if (request.era == mcp::Era::legacy) {
        return jsonrpc::result_text(request.id, result);
    }
    std::string members = R"("resultType":"complete")";
    if (const mcp::Method* method = mcp::find_method(request.method);
        method != nullptr && method->has_cache_hints) {
        members += R"(,"ttlMs":0,"cacheScope":"private")";
    }
    return jsonrpc::result_text(request.id, with_members_first(result, members));
}

}  // namespace holdfast::calls
