#include "downstream/wire_text.hpp"

#include <charconv>
#include <utility>

#include "jsonrpc/json_text.hpp"
#include "jsonrpc/message_writer.hpp"
#include "jsonrpc/thread_reader.hpp"
#include "mcp/incoming.hpp"
#include "mcp/protocol_error.hpp"

namespace holdfast::downstream {
namespace {

// The compiler knows the length of such a literal: appending it needs no strlen on the call path.
using std::string_view_literals::operator""sv;

/// Space for names, quotes and braces around the inserted parts.
constexpr std::size_t kLegacyFrameBytes = 96;
constexpr std::size_t kModernFrameBytes = 320;

/// Appends members of one object, with the commas between them.
class Members final {
public:
    explicit Members(std::string& out) : out_(&out) {}

    void add(std::string_view key, std::string_view json) {
        separate();
        out_->push_back('"');
        out_->append(key).append("\":"sv).append(json);
    }
    void add_plain_string(std::string_view key, std::string_view text) {
        separate();
        out_->push_back('"');
        out_->append(key).append("\":\""sv).append(text).push_back('"');
    }
    void splice(std::string_view members) {
        if (!members.empty()) {
            separate();
            out_->append(members);
        }
    }

private:
    void separate() {
        if (!std::exchange(is_first_, false)) {
            out_->push_back(',');
        }
    }

    std::string* out_;
    bool is_first_ = true;
};

struct Identity {
    std::string_view capabilities = "{}";
    std::string_view client_info = {};
};

Identity identity_of(const Request& request, const RequestDress& dress) {
    Identity identity{.client_info = dress.client_info};
    if (request.agent) {
        identity.capabilities = request.agent->capabilities;
        if (!request.agent->client_info.empty()) {
            identity.client_info = request.agent->client_info;
        }
    }
    return identity;
}

void append_meta(std::string& out, const Request& request, const RequestDress& dress,
                 const Identity& identity) {
    out.push_back('{');
    Members meta{out};
    if (mcp::era_of(dress.revision) == mcp::Era::modern) {
        meta.add_plain_string(mcp::kVersionKey, mcp::text_of(dress.revision));
        meta.add(mcp::kCapabilitiesKey, identity.capabilities);
        if (!identity.client_info.empty()) {
            meta.add(mcp::kClientInfoKey, identity.client_info);
        }
        if (!request.log_level.empty()) {
            meta.add_plain_string(mcp::kLogLevelKey, request.log_level);
        }
    }
    if (!dress.progress_token.empty()) {
        meta.add("progressToken", dress.progress_token);
    }
    meta.splice(request.meta_members);
    out.push_back('}');
}

/// Builds a request with an identity that may differ from the agent's.
std::string dressed_for(const Request& request, const RequestDress& dress,
                        const Identity& identity) {
    const bool is_modern = mcp::era_of(dress.revision) == mcp::Era::modern;
    const bool has_meta =
        is_modern || !dress.progress_token.empty() || !request.meta_members.empty();
    std::string text;
    text.reserve((is_modern ? kModernFrameBytes : kLegacyFrameBytes) + dress.id.size() +
                 request.method.size() + request.params_members.size() +
                 request.meta_members.size() + dress.progress_token.size() +
                 (is_modern ? identity.capabilities.size() + identity.client_info.size() : 0));
    text.append(R"({"jsonrpc":"2.0","id":)"sv).append(dress.id);
    text.append(R"(,"method":")"sv).append(request.method).push_back('"');
    if (has_meta || !request.params_members.empty()) {
        text.append(R"(,"params":{)"sv);
        Members params{text};
        params.splice(request.params_members);
        if (has_meta) {
            params.splice(R"("_meta":)");
            append_meta(text, request, dress, identity);
        }
        text.push_back('}');
    }
    text.push_back('}');
    return text;
}

std::string_view chosen_info(const LinkPurpose& purpose, std::string_view options_info) {
    return purpose.client_info.empty() ? options_info : std::string_view{purpose.client_info};
}

ResultType result_type_from(std::string_view value) {
    if (!value.starts_with('"')) {
        return ResultType::unknown;
    }
    if (jsonrpc::says(value, "complete")) {
        return ResultType::complete;
    }
    if (jsonrpc::says(value, "input_required")) {
        return ResultType::input_required;
    }
    return jsonrpc::says(value, "task") ? ResultType::task : ResultType::unknown;
}

int error_code_from(std::string_view value) {
    int code = 0;
    const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), code);
    return error == std::errc{} ? code : mcp::kInternalError;
}

}  // namespace

std::string dressed_request(const Request& request, const RequestDress& dress) {
    return dressed_for(request, dress, identity_of(request, dress));
}

std::string initialize_text(std::string_view id, const LinkPurpose& purpose,
                            std::string_view options_info) {
    Request request{.method = "initialize"};
    Members params{request.params_members};
    params.add_plain_string("protocolVersion", mcp::text_of(mcp::kNewestLegacy));
    params.add("capabilities", purpose.capabilities);
    params.add("clientInfo", chosen_info(purpose, options_info));
    return dressed_for(request, {.id = id}, {});
}

std::string discover_text(std::string_view id, const LinkPurpose& purpose,
                          std::string_view options_info, mcp::Revision revision) {
    return dressed_for(
        {.method = "server/discover"}, {.id = id, .revision = revision},
        {.capabilities = purpose.capabilities, .client_info = chosen_info(purpose, options_info)});
}

std::string listen_members(const Interests& interests) {
    std::string members = R"("notifications":{)";
    if (interests.lists) {
        members.append(
            R"("toolsListChanged":true,"promptsListChanged":true,"resourcesListChanged":true)");
    }
    if (!interests.resource_uris.empty()) {
        members.append(interests.lists ? "," : "").append(R"("resourceSubscriptions":[)");
        for (const std::string& uri : interests.resource_uris) {
            members.append(members.ends_with('[') ? "" : ",");
            jsonrpc::append_quoted(members, uri);
        }
        members.push_back(']');
    }
    members.push_back('}');
    return members;
}

std::string initialized_text() {
    return jsonrpc::notification_text("notifications/initialized", {});
}

std::string cancelled_text(std::string_view request_id, std::string_view reason) {
    std::string params = "{";
    Members members{params};
    members.add("requestId", request_id);
    if (!reason.empty()) {
        members.add("reason", jsonrpc::quoted_text(reason));
    }
    params.append("}");
    return jsonrpc::notification_text("notifications/cancelled", params);
}

Answer answer_from(jsonrpc::PaddedText text, const jsonrpc::Message& response, mcp::Era era) {
    const bool is_error = response.kind == jsonrpc::MessageKind::error;
    // Views of the text stay valid when it moves: padded text is too long for the small-string
    // buffer.
    const auto named = is_error ? response.body.find("code") : response.body.find("resultType");
    Answer answer{std::move(text), response.body.text(), is_error};
    if (!response.meta.text().empty()) {
        answer.set_meta(response.meta.text());
    }
    answer.says_error = !is_error && response.body.find("isError") == "true";
    if (is_error) {
        answer.error_code = named ? error_code_from(*named) : mcp::kInternalError;
    } else if (named && era == mcp::Era::modern) {
        answer.has_result_type = true;
        answer.result_type = result_type_from(*named);
    }
    return answer;
}

CallResult read_answer(jsonrpc::PaddedText text, mcp::Era era) {
    const auto message = jsonrpc::thread_reader().read(text);
    const bool is_response = message && (message->kind == jsonrpc::MessageKind::result ||
                                         message->kind == jsonrpc::MessageKind::error);
    if (!is_response) {
        const bool is_json = message || message.error().code != jsonrpc::kParseError;
        return CallFault{
            .kind = CallFault::Kind::malformed,
            .message = "The server's answer is not a JSON-RPC response" +
                       (message ? std::string{"."} : ": " + message.error().message),
            .brief = is_json ? "invalid JSON-RPC from the server" : "invalid JSON from the server",
            .delivery = resilience::Delivery::sent};
    }
    return answer_from(std::move(text), *message, era);
}

std::optional<std::uint64_t> number_from(std::string_view json) {
    std::uint64_t number = 0;
    const char* const begin = json.data();
    const char* const end = begin + json.size();
    const auto [stopped, error] = std::from_chars(begin, end, number);
    const bool is_whole = error == std::errc{} && stopped == end;
    return is_whole ? std::optional{number} : std::nullopt;
}

}  // namespace holdfast::downstream
