#include "support/test_agent/test_agent.hpp"

#include <algorithm>

#include "support/process_watch.hpp"
#include "support/test_agent/json_text.hpp"

namespace holdfast::test {
namespace {

constexpr std::string_view kModernMeta =
    R"("io.modelcontextprotocol/protocolVersion":"2026-07-28",)"
    R"("io.modelcontextprotocol/clientInfo":{"name":"test","version":"1"},)"
    R"("io.modelcontextprotocol/clientCapabilities":{"elicitation":{"form":{}}})";

/// Returns the key of the first question in a result that asks for input.
std::string first_question_key(std::string_view answer) {
    const std::string questions = member_text(answer, "inputRequests");
    const std::size_t begin = questions.find('"');
    const std::size_t end = questions.find('"', begin + 1);
    return end == std::string::npos ? std::string{} : questions.substr(begin, end + 1 - begin);
}

}  // namespace

AgentRequest tool_call(const std::string& name, const std::string& arguments) {
    return {.method = "tools/call",
            .params = R"("name":")" + name + R"(","arguments":)" + arguments,
            .name = name};
}

bool TestAgent::open(const std::string& revision) {
    if (wire_ == nullptr) {
        return false;
    }
    if (era_ == AgentEra::modern) {
        return true;
    }
    const std::string answer = request({.method = "initialize",
                                        .params = R"("protocolVersion":")" + revision +
                                                  R"(","capabilities":{"elicitation":{}},)"
                                                  R"("clientInfo":{"name":"test","version":"1"})"});
    if (member_text(answer, "protocolVersion") != "\"" + revision + "\"") {
        return false;
    }
    send_notification("notifications/initialized", "{}");
    return true;
}

bool TestAgent::finds_tool(const std::string& name) {
    return eventually([&] {
        return request({.method = "tools/list"}).find("\"name\":\"" + name + "\"") !=
               std::string::npos;
    });
}

std::string TestAgent::params_of(const AgentRequest& request) const {
    std::string meta = era_ == AgentEra::modern ? std::string{kModernMeta} : std::string{};
    if (!request.meta.empty()) {
        meta += (meta.empty() ? "" : ",") + request.meta;
    }
    std::string params = "{" + request.params;
    if (!meta.empty()) {
        params += (request.params.empty() ? "" : ",") + (R"("_meta":{)" + meta + "}");
    }
    return params + "}";
}

std::string TestAgent::send(const AgentRequest& request) {
    const std::string id = request.id.empty() ? std::to_string(++last_id_) : request.id;
    wire_->send({.text = R"({"jsonrpc":"2.0","id":)" + id + R"(,"method":")" + request.method +
                         R"(","params":)" + params_of(request) + "}",
                 .id = id,
                 .method = request.method,
                 .name = request.name,
                 .is_modern = era_ == AgentEra::modern});
    return id;
}

void TestAgent::send_notification(const std::string& method, const std::string& params) {
    wire_->send(
        {.text = R"({"jsonrpc":"2.0","method":")" + method + R"(","params":)" + params + "}",
         .method = method,
         .is_modern = era_ == AgentEra::modern});
}

void TestAgent::send_text(const std::string& text) {
    wire_->send({.text = text, .is_modern = era_ == AgentEra::modern});
}

std::string TestAgent::answer_to(const std::string& id) {
    const std::string mark = R"({"jsonrpc":"2.0","id":)" + id + ",";
    const auto is_answer = [&mark](const std::string& message) {
        return message.starts_with(mark) && message.compare(mark.size(), 9, R"("method":)") != 0;
    };
    // It may have arrived while the agent waited for another one.
    if (const auto kept = std::ranges::find_if(kept_, is_answer); kept != kept_.end()) {
        std::string message = *kept;
        kept_.erase(kept);
        return message;
    }
    while (true) {
        std::string message = next_message();
        if (message.empty() || is_answer(message)) {
            return message;
        }
        kept_.push_back(std::move(message));
    }
}

std::string TestAgent::call(const std::string& tool, const std::string& arguments) {
    const std::string answer = request(tool_call(tool, arguments));
    const std::string text = member_text(answer, "text");
    return text.empty() ? answer : plain_text(text);
}

std::string TestAgent::next_message_of(std::string_view method) {
    const std::string mark = R"("method":")" + std::string{method} + "\"";
    const auto is_wanted = [&mark](const std::string& message) {
        return message.find(mark) != std::string::npos;
    };
    if (const auto kept = std::ranges::find_if(kept_, is_wanted); kept != kept_.end()) {
        std::string message = *kept;
        kept_.erase(kept);
        return message;
    }
    std::string message = next_message();
    while (!message.empty() && !is_wanted(message)) {
        message = next_message();
    }
    return message;
}

std::string TestAgent::call_and_fill_in(const AgentRequest& call, const std::string& content) {
    const std::string filled_in = R"({"action":"accept","content":)" + content + "}";
    const std::string id = send(call);
    if (era_ == AgentEra::legacy) {
        const std::string question = next_message_of("elicitation/create");
        if (question.empty()) {
            return {};
        }
        answer_question(question, filled_in);
        return answer_to(id);
    }
    const std::string asked = answer_to(id);
    const std::string key = first_question_key(asked);
    if (key.empty()) {
        return {};
    }
    AgentRequest again = call;
    again.params += R"(,"inputResponses":{)" + key + ":" + filled_in + "}";
    if (const std::string state = member_text(asked, "requestState"); !state.empty()) {
        again.params += R"(,"requestState":)" + state;
    }
    return request(again);
}

void TestAgent::answer_question(std::string_view question, const std::string& result) {
    send_text(R"({"jsonrpc":"2.0","id":)" + member_text(question, "id") + R"(,"result":)" + result +
              "}");
}

void TestAgent::cancel(const std::string& id) {
    if (era_ == AgentEra::legacy || !wire_->drop(id)) {
        send_notification("notifications/cancelled", R"({"requestId":)" + id + "}");
    }
}

}  // namespace holdfast::test
