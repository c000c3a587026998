#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>
#include <optional>
#include <utility>

#include "calls/answer_text.hpp"
#include "calls/argument_refusal.hpp"
#include "dispatch/builtin_request.hpp"
#include "dispatch/request_dispatcher.hpp"
#include "dispatch/request_params.hpp"
#include "jsonrpc/json_text.hpp"
#include "jsonrpc/message_reader.hpp"
#include "jsonrpc/object_edit.hpp"
#include "mcp/protocol_error.hpp"

// Handles built-in tools, and calls that a built-in tool forwards.

namespace holdfast::dispatch {
namespace {

BuiltinRequestContext own_terms(const Gateway& gateway) {
    return {.limit = gateway.options().own_limit, .in_flight = gateway.calls()->in_flight};
}

/// Returns the arguments of a forwarded call with those of the tool as an object: some models write
/// them as JSON text. Anything else is returned as it is, for the check of the schema.
std::string with_parsed_arguments(std::string_view arguments) {
    const jsonrpc::PaddedText text{std::string{arguments}};
    jsonrpc::MessageReader reader;
    const jsonrpc::ObjectView given = reader.read_object(text, text.view());
    const auto written = given.find("arguments");
    if (!written || !written->starts_with('"')) {
        return std::string{arguments};
    }
    const std::string decoded = jsonrpc::decoded(*written);
    const std::size_t begin = decoded.find_first_not_of(" \t\r\n");
    if (begin == std::string::npos) {
        return jsonrpc::ObjectEdit{given}.set("arguments", "{}").text();
    }
    const std::size_t end = decoded.find_last_not_of(" \t\r\n");
    const std::string trimmed = decoded.substr(begin, end - begin + 1);
    boost::json::error_code error;
    const auto value = boost::json::parse({trimmed.data(), trimmed.size()}, error);
    return !error && value.is_object() ? jsonrpc::ObjectEdit{given}.set("arguments", trimmed).text()
                                       : std::string{arguments};
}

/// Returns the request as a direct call of the tool that `given_text`, the arguments, names.
/// Requires arguments that are an object with a `name`.
std::string direct_call(const jsonrpc::Message& message, const std::string& given_text) {
    std::string name = "\"\"";
    std::string arguments = "{}";
    const jsonrpc::PaddedText text{given_text};
    jsonrpc::MessageReader reader;
    const jsonrpc::ObjectView given = reader.read_object(text, text.view());
    name = given.find("name").value_or(name);
    arguments = given.find("arguments").value_or(arguments);
    jsonrpc::ObjectEdit edit{message.body};
    edit.set("name", name).set("arguments", arguments);
    // A model cannot write `_meta`, so it requests the details of a failure by an argument.
    std::string meta;
    if (given.find("debug") == "true") {
        meta = jsonrpc::ObjectEdit{message.meta}.set("dev.holdfast/debug", "true").text();
        edit.set("_meta", meta);
    }
    const std::string params = edit.text();
    return R"({"jsonrpc":"2.0","id":)" + std::string{message.id} +
           R"(,"method":"tools/call","params":)" + params + '}';
}

}  // namespace

void RequestDispatcher::call_builtin(const agents::IncomingRequest& request,
                                     const surface::BuiltinItems::Tool& tool) const {
    BuiltinRequestContext terms = own_terms(*gateway_);
    terms.arguments = request.message.body.find("arguments").value_or("{}");
    if (!tool.own.run) {
        terms.arguments = with_parsed_arguments(terms.arguments);
    }
    const auto secrets = gateway_->calls()->secrets->all();
    if (const auto failure = calls::argument_failure(tool.callable, terms.arguments, *secrets)) {
        const calls::AnsweredRequest answered{.id = request.message.id,
                                              .method = request.message.method,
                                              .era = request.agent->era()};
        request.port->finish(calls::builtin_result_text(answered, calls::tool_result_of(*failure)));
    } else if (tool.own.run) {
        BuiltinRequest::start(request, std::move(terms), tool.own.run);
    } else {
        call_forwarded(request, tool, terms.arguments);
    }
}

void RequestDispatcher::call_forwarded(const agents::IncomingRequest& request,
                                       const surface::BuiltinItems::Tool& tool,
                                       const std::string& arguments) const {
    if (!request.via.empty()) {
        refuse(request, {.code = mcp::kInvalidParams,
                         .message = "A call cannot be forwarded twice; name the tool itself."});
        return;
    }
    const jsonrpc::PaddedText text{direct_call(request.message, arguments)};
    // Not the loop's reader, which still holds the current request.
    jsonrpc::MessageReader reader;
    const auto message = reader.read(text);
    if (!message) {
        refuse(request, {.code = mcp::kInvalidParams, .message = message.error().message});
        return;
    }
    call_tool({.message = *message,
               .agent = request.agent,
               .session = request.session,
               .port = request.port,
               .loop = request.loop,
               .headers = request.headers,
               .agent_headers = request.agent_headers,
               .via = tool.own.name});
}

void RequestDispatcher::read_own(const agents::IncomingRequest& request,
                                 const surface::BuiltinResource& resource) const {
    BuiltinRequest::start(request, own_terms(*gateway_), resource.read);
}

}  // namespace holdfast::dispatch
