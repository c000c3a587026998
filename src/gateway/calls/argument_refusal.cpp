#include "calls/argument_refusal.hpp"

#include <fmt/core.h>

#include "base/secret.hpp"
#include "base/text_cut.hpp"
#include "calls/answer_text.hpp"
#include "calls/call_memory.hpp"
#include "calls/call_trace.hpp"
#include "calls/failure_mapping.hpp"
#include "jsonrpc/json_writer.hpp"
#include "jsonrpc/redaction.hpp"
#include "surface/argument_schema.hpp"

namespace holdfast::calls {
namespace {

using jsonrpc::JsonWriter;
using Secrets = std::span<const std::string>;

constexpr std::size_t kMaxDescriptionBytes = 500;
// The example is JSON to be copied: whole, or not at all.
constexpr jsonrpc::RedactionLimits kWhole{
    .max_bytes = 10'000, .max_string_bytes = 10'000, .max_depth = 512};

/// The content of the failure's text and of its JSON object, without secrets.
struct Findings {
    schema::ArgumentReport report = {};
    std::string description = {};
    std::string sent = {};  ///< JSON.
    /// The sentence of the rule over several arguments that the call breaks; empty = none.
    std::string broken_rule = {};
};

std::string cut(const std::string& text, std::size_t max_bytes) {
    return text.size() <= max_bytes ? text : std::string{base::beginning_of(text, max_bytes)} + "…";
}

void hide_secrets(schema::ArgumentReport& report, Secrets secrets) {
    for (schema::Violation& violation : report.violations) {
        for (std::string* text : {&violation.instance, &violation.expected, &violation.got,
                                  &violation.advice, &violation.schema_location}) {
            *text = base::without_secrets(*text, secrets);
        }
    }
    if (!report.example.empty()) {
        report.example = jsonrpc::redacted(report.example, secrets, kWhole);
    }
}

void write(JsonWriter& writer, const schema::Violation& violation) {
    writer.begin_object();
    writer.key("at").text(violation.instance);
    writer.key("expected").text(violation.expected);
    writer.key("got").text(violation.got);
    writer.text_unless_empty("advice", violation.advice);
    writer.end_object();
}

void write(JsonWriter& writer, const schema::Parameter& parameter) {
    writer.begin_object();
    writer.key("name").text(parameter.name);
    writer.key("type").text(parameter.type);
    writer.key("required").boolean(parameter.is_required);
    writer.text_unless_empty("description", parameter.description);
    writer.end_object();
}

std::string object_members(const Findings& findings, const schema::ToolSchema& schema) {
    JsonWriter writer;
    writer.key("violations").begin_array();
    for (const schema::Violation& violation : findings.report.violations) {
        write(writer, violation);
    }
    writer.end_array();
    if (findings.report.truncated) {
        writer.key("moreViolations").boolean(true);
    }
    writer.key("parameters").begin_array();
    for (const schema::Parameter& parameter : schema.parameters()) {
        write(writer, parameter);
    }
    writer.end_array().key("sent").raw(findings.sent);
    if (!findings.report.example.empty()) {
        writer.key("example").raw(findings.report.example);
    }
    return writer.take();
}

std::string line_of(schema::Violation violation) {
    if (violation.instance.empty()) {
        violation.instance = "the arguments";
    }
    return to_text(violation);
}

/// What is wrong, one line each.
std::string reasons(const Findings& findings) {
    if (!findings.broken_rule.empty()) {
        return "  " + findings.broken_rule + " The tool was not run.\n";
    }
    std::string text = "  The arguments do not fit the tool's schema. It was not run.\n";
    for (const schema::Violation& violation : findings.report.violations) {
        text += "    - " + line_of(violation) + '\n';
    }
    return text += findings.report.truncated ? "    - and more\n" : "";
}

std::string words(const Findings& findings, const schema::ToolSchema& schema,
                  const std::string& tool) {
    return fmt::format(
        "Error calling tool '{}':\n"
        "{}{}"
        "  Available parameters: {}\n"
        "  You sent: {}\n"
        "  Please try again with:\n"
        "    - Corrected arguments{}",
        tool, reasons(findings),
        findings.description.empty()
            ? ""
            : fmt::format("  Tool description: {}\n", findings.description),
        schema.parameter_summary(), findings.sent,
        findings.report.example.empty() ? "" : ", for example: " + findings.report.example);
}

std::string message_of(const schema::ArgumentReport& report) {
    const std::string first = line_of(report.violations.front());
    const std::size_t more = report.violations.size() - 1;
    if (more == 0) {
        return fmt::format("The arguments do not fit: {}.", first);
    }
    return fmt::format("The arguments do not fit: {}; and {}{} other fault{}.", first, more,
                       report.truncated ? " or more" : "",
                       more == 1 && !report.truncated ? "" : "s");
}

Failure failure_of(const Findings& findings, const surface::Callable& tool, std::string message) {
    const schema::ToolSchema& schema = tool.arguments->schema();
    return {.code = FailureCode::invalid_arguments,
            .tool = tool.exposed_name,
            .server = tool.server == nullptr ? std::string{} : tool.server->name,
            .message = std::move(message),
            .words = words(findings, schema, tool.exposed_name),
            .more_members = object_members(findings, schema)};
}

/// The failure of a call that breaks the rule over several arguments, if it does.
std::optional<Failure> rule_failure(const surface::Callable& tool, std::string_view arguments,
                                    Secrets secrets) {
    const auto sentence = tool.arguments->broken_rule(arguments);
    if (!sentence) {
        return std::nullopt;
    }
    const schema::Violation violation{.instance = {},
                                      .keyword = "check",
                                      .schema_location = {},
                                      .expected = std::string{*sentence},
                                      .got = "arguments that break this rule",
                                      .advice = {}};
    const Findings findings{.report = {.violations = {violation}},
                            .description = cut(tool.arguments->description(), kMaxDescriptionBytes),
                            .sent = jsonrpc::redacted(arguments, secrets),
                            .broken_rule = std::string{*sentence}};
    return failure_of(findings, tool, findings.broken_rule);
}

void answer_with(const agents::IncomingRequest& request, Failure failure, const CallPlan& plan,
                 const CallEnvironment& calls) {
    const std::string call_id{std::string_view{calls.call_ids->next()}};
    failure.more_members.append(failure.more_members.empty() ? "" : ",");
    failure.more_members.append(R"("callId":")").append(call_id).append("\"");
    record_refusal(calls, {.agent = request.agent, .session = request.session}, plan, failure,
                   call_id);
    const AnsweredRequest answered{
        .id = request.message.id, .method = request.message.method, .era = request.agent->era()};
    // The agent must correct invalid arguments, so they stay an error where the policy shows other
    // failures as plain results.
    const bool is_error = failure.code == FailureCode::invalid_arguments;
    request.port->finish(builtin_result_text(
        answered, is_error ? tool_result_of(failure) : tool_result_of(failure, plan)));
}

}  // namespace

std::optional<Failure> argument_failure(const surface::Callable& tool, std::string_view arguments,
                                        Secrets secrets) {
    if (!tool.arguments) {
        return std::nullopt;
    }
    const schema::ToolSchema& schema = tool.arguments->schema();
    auto report = schema.check(arguments);
    if (!report) {
        return rule_failure(tool, arguments, secrets);
    }
    if (jsonrpc::holds_secret(arguments, secrets)) {
        // Quoted values are cut, and half a secret would not be recognised: shows only types.
        report = schema.check(arguments, false);
    }
    Findings findings{.report = std::move(*report),
                      .description = cut(tool.arguments->description(), kMaxDescriptionBytes),
                      .sent = jsonrpc::redacted(arguments, secrets)};
    hide_secrets(findings.report, secrets);
    return failure_of(findings, tool, message_of(findings.report));
}

bool refuse_arguments(const agents::IncomingRequest& request, const CallPlan& plan,
                      const CallEnvironment& calls) {
    const surface::Callable& tool = *plan.callable;
    if (!tool.arguments) {
        return false;
    }
    const std::string_view arguments = request.message.body.find("arguments").value_or("{}");
    const bool fits = !tool.arguments->schema().check(arguments).has_value() &&
                      !tool.arguments->broken_rule(arguments).has_value();
    if (calls.on_unchecked) {
        if (const std::string problem = tool.arguments->take_problem(); !problem.empty()) {
            calls.on_unchecked(tool.exposed_name, problem);
        }
    }
    // Only a text that quotes the arguments needs the secrets, so the common call takes no lock.
    const auto failure =
        fits ? std::nullopt : argument_failure(tool, arguments, *calls.secrets->all());
    if (!failure) {
        return false;
    }
    calls.memory->on_refused({.agent = request.agent}, plan, failure->message,
                             request.loop.timekeeper->now());
    answer_with(request, *failure, plan, calls);
    return true;
}

bool refuse_repetition(const agents::IncomingRequest& request, const CallPlan& plan,
                       const CallEnvironment& calls) {
    const auto error =
        calls.memory->error_of_held({.agent = request.agent}, plan, request.loop.timekeeper->now());
    if (!error) {
        return false;
    }
    Failure failure{.code = FailureCode::held_back,
                    .tool = plan.callable->exposed_name,
                    .server = plan.server->name,
                    .message = "the same call has failed repeatedly, always with this error: " +
                               base::without_secrets(*error, *calls.secrets->all())};
    failure.words = fmt::format(
        "The tool \"{}\" was not called: {}{} Do not repeat this call. Use other arguments or "
        "another tool.",
        failure.tool, failure.message, failure.message.ends_with('.') ? "" : ".");
    answer_with(request, std::move(failure), plan, calls);
    return true;
}

}  // namespace holdfast::calls
