#include "cli/demo/demo_server.hpp"

#include <algorithm>
#include <array>
#include <istream>
#include <ostream>
#include <span>
#include <thread>
#include <utility>

#include "cli/demo/demo_tools.hpp"
#include "cli/exit_code.hpp"
#include "jsonrpc/json_writer.hpp"
#include "jsonrpc/members.hpp"
#include "jsonrpc/message_reader.hpp"
#include "jsonrpc/message_writer.hpp"
#include "jsonrpc/thread_reader.hpp"
#include "runtime/version.hpp"

namespace holdfast::cli {
namespace {

constexpr int kMethodNotFound = -32601;
constexpr int kInvalidParams = -32602;
constexpr std::array<std::string_view, 4> kRevisions = {"2025-11-25", "2025-06-18", "2025-03-26",
                                                        "2024-11-05"};
constexpr std::chrono::milliseconds kDelay{1500};
constexpr std::size_t kMaxLineBytes = std::size_t{1024} * 1024;

std::span<const DemoTool> tools_of(bool is_flaky) {
    return is_flaky ? flaky_demo_tools() : steady_demo_tools();
}

std::string handshake_result(std::string_view params, bool is_flaky) {
    const std::string asked = jsonrpc::text_member_of(params, "protocolVersion");
    const bool is_known = std::ranges::find(kRevisions, asked) != kRevisions.end();
    jsonrpc::JsonWriter writer;
    writer.begin_object();
    writer.key("protocolVersion").text(is_known ? asked : kRevisions.front());
    writer.key("capabilities").raw(R"({"tools":{}})");
    writer.key("serverInfo").begin_object();
    writer.key("name").text(is_flaky ? "holdfast-demo-flaky" : "holdfast-demo-steady");
    writer.key("version").text(runtime::build_identity().version);
    writer.end_object().end_object();
    return writer.take();
}

std::string tool_list(bool is_flaky) {
    jsonrpc::JsonWriter writer;
    writer.begin_object().key("tools").begin_array();
    for (const DemoTool& tool : tools_of(is_flaky)) {
        writer.raw(tool.definition);
    }
    writer.end_array().end_object();
    return writer.take();
}

DemoServer::Step failing(DemoServer::Step step, DemoFailure failure) {
    switch (failure) {
        case DemoFailure::none:
            break;
        case DemoFailure::silence:
            step.line.clear();
            break;
        case DemoFailure::junk:
            step.line = "Segmentation fault (not really: this is the demo)";
            break;
        case DemoFailure::crash:
            step = {.line = {}, .wait = {}, .ends = true};
            break;
        case DemoFailure::delay:
            step.wait = kDelay;
            break;
    }
    return step;
}

std::chrono::seconds second_of_this_minute() {
    const auto now = std::chrono::system_clock::now().time_since_epoch();
    return std::chrono::duration_cast<std::chrono::seconds>(now % std::chrono::minutes{1});
}

}  // namespace

DemoFailure failure_at(std::chrono::seconds second_of_minute) noexcept {
    struct Part {
        std::chrono::seconds end = {};
        DemoFailure failure = DemoFailure::none;
    };
    constexpr std::array<Part, 4> kParts = {{
        {.end = std::chrono::seconds{40}, .failure = DemoFailure::none},
        {.end = std::chrono::seconds{46}, .failure = DemoFailure::silence},
        {.end = std::chrono::seconds{50}, .failure = DemoFailure::junk},
        {.end = std::chrono::seconds{55}, .failure = DemoFailure::crash},
    }};
    const auto* part = std::ranges::find_if(
        kParts, [second_of_minute](const Part& one) { return second_of_minute < one.end; });
    return part == kParts.end() ? DemoFailure::delay : part->failure;
}

DemoServer::Step DemoServer::on_line(std::string_view line,
                                     std::chrono::seconds second_of_minute) const {
    const jsonrpc::PaddedText text{std::string{line}};
    const auto message = jsonrpc::thread_reader().read(text);
    if (!message) {
        return {.line = jsonrpc::error_text(
                    message.error().id,
                    {.code = message.error().code, .message = message.error().message})};
    }
    if (message->kind != jsonrpc::MessageKind::request) {
        return {};
    }
    // The reader is used again for parts of the message.
    const std::string method{message->method};
    const std::string id{message->id};
    const std::string params{message->body.exists() ? message->body.text() : "{}"};
    Step step{.line = answer_to(method, id, params)};
    return is_flaky_ && method == "tools/call"
               ? failing(std::move(step), failure_at(second_of_minute))
               : step;
}

std::string DemoServer::answer_to(std::string_view method, std::string_view id,
                                  std::string_view params) const {
    if (method == "initialize") {
        return jsonrpc::result_text(id, handshake_result(params, is_flaky_));
    }
    if (method == "ping") {
        return jsonrpc::result_text(id, "{}");
    }
    if (method == "tools/list") {
        return jsonrpc::result_text(id, tool_list(is_flaky_));
    }
    if (method != "tools/call") {
        return jsonrpc::error_text(id, {.code = kMethodNotFound, .message = "Method not found"});
    }
    const std::string result = call_result(params);
    return result.empty() ? jsonrpc::error_text(
                                id, {.code = kInvalidParams, .message = "There is no such tool"})
                          : jsonrpc::result_text(id, result);
}

std::string DemoServer::call_result(std::string_view params) const {
    const auto tools = tools_of(is_flaky_);
    const auto tool =
        std::ranges::find(tools, jsonrpc::text_member_of(params, "name"), &DemoTool::name);
    if (tool == tools.end()) {
        return {};
    }
    const DemoAnswer answer = tool->run(jsonrpc::member_of(params, "arguments"));
    jsonrpc::JsonWriter writer;
    writer.begin_object().key("content").begin_array().begin_object();
    writer.key("type").text("text");
    writer.key("text").text(answer.text);
    writer.end_object().end_array();
    if (answer.is_error) {
        writer.key("isError").boolean(true);
    }
    writer.end_object();
    return writer.take();
}

int run_demo_server(const DemoServerOptions& options, std::istream& input, std::ostream& output,
                    std::ostream& log) {
    const DemoServer server{options.is_flaky};
    std::string line;
    for (char byte = 0; input.get(byte);) {
        if (byte != '\n') {
            line += byte;
            if (line.size() > kMaxLineBytes) {
                log << "demo-server: a line is too long.\n";
                return kExitFailure;
            }
            continue;
        }
        const DemoServer::Step step = server.on_line(line, second_of_this_minute());
        line.clear();
        if (step.ends) {
            log << "demo-server: crashes, as it does in this part of every minute.\n" << std::flush;
            return kExitFailure;
        }
        std::this_thread::sleep_for(step.wait);
        if (!step.line.empty()) {
            output << step.line << "\n" << std::flush;
        }
    }
    return kExitSuccess;
}

}  // namespace holdfast::cli
