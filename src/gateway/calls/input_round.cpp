#include "calls/input_round.hpp"

#include "jsonrpc/json_text.hpp"
#include "jsonrpc/json_writer.hpp"
#include "jsonrpc/object_edit.hpp"
#include "jsonrpc/thread_reader.hpp"

namespace holdfast::calls {
namespace {

using jsonrpc::ObjectEdit;
using jsonrpc::ObjectView;

std::string_view find(const Members& members, std::string_view key) {
    for (const auto& [name, value] : members) {
        if (name == key) {
            return value;
        }
    }
    return {};
}

KeyedQuestion question_in(const std::string& key, std::string_view request) {
    const Members members = members_of(request);
    const std::string_view method = find(members, "method");
    return {.key = key,
            .method = method.starts_with('"') ? jsonrpc::decoded(method) : std::string{},
            .params = std::string{find(members, "params")}};
}

std::string edited(std::string_view object, std::string_view removed) {
    const jsonrpc::PaddedText text{std::string{object}};
    return ObjectEdit{jsonrpc::part_reader().read_object(text, text.view())}.remove(removed).text();
}

void write(jsonrpc::JsonWriter& writer, const KeyedQuestion& question) {
    writer.key(question.key).begin_object();
    writer.key("method").text(question.method);
    const std::string params = params_for_modern_agent(question);
    if (!params.empty()) {
        writer.key("params").raw(params);
    }
    writer.end_object();
}

}  // namespace

Members members_of(std::string_view object) {
    const jsonrpc::PaddedText text{std::string{object}};
    const ObjectView view = jsonrpc::part_reader().read_object(text, text.view());
    Members members;
    members.reserve(view.fields().size());
    for (const jsonrpc::Field& field : view.fields()) {
        members.emplace_back(field.key, field.value);
    }
    return members;
}

std::optional<InputRequired> input_required_in(const downstream::Answer& answer) {
    const Members result = members_of(answer.body());
    InputRequired input;
    for (const auto& [key, request] : members_of(find(result, "inputRequests"))) {
        input.questions.push_back(question_in(key, request));
    }
    input.state = find(result, "requestState");
    const bool asks = !input.questions.empty() || !input.state.empty();
    return asks ? std::optional{std::move(input)} : std::nullopt;
}

std::string input_required_result(const std::vector<KeyedQuestion>& questions,
                                  std::string_view state) {
    jsonrpc::JsonWriter writer;
    writer.begin_object();
    writer.key("resultType").text("input_required");
    writer.key("inputRequests").begin_object();
    for (const KeyedQuestion& question : questions) {
        write(writer, question);
    }
    writer.end_object().key("requestState").text(state).end_object();
    return writer.take();
}

std::string retry_members(const Members& answers, std::string_view state) {
    jsonrpc::JsonWriter writer;
    writer.key("inputResponses").begin_object();
    for (const auto& [key, answer] : answers) {
        writer.key(key).raw(answer);
    }
    writer.end_object();
    if (!state.empty()) {
        writer.key("requestState").raw(state);
    }
    return writer.take();
}

std::string params_for_agent(const KeyedQuestion& question, mcp::Revision revision,
                             std::string_view elicitation_id) {
    if (question.method != "elicitation/create") {
        return question.params;
    }
    const Members members = members_of(question.params);
    const std::string_view mode = find(members, "mode");
    if (mode == R"("url")" && find(members, "elicitationId").empty()) {
        return jsonrpc::with_member(question.params, "elicitationId",
                                    jsonrpc::quoted_text(elicitation_id));
    }
    const bool knows_modes = mcp::has_url_elicitation(revision);
    return knows_modes || mode.empty() ? question.params : edited(question.params, "mode");
}

std::string params_for_modern_agent(const KeyedQuestion& question) {
    if (question.params.empty()) {
        return {};
    }
    // Both members concern only the connection to the server.
    return edited(edited(question.params, "elicitationId"), "_meta");
}

}  // namespace holdfast::calls
