#include "calls/argument_refusal.hpp"

#include "base/secret.hpp"
#include "base/text_cut.hpp"
#include "calls/answer_text.hpp"
#include "calls/call_memory.hpp"
#include "calls/call_trace.hpp"
#include "calls/failure_mapping.hpp"
#include "jsonrpc/json_text.hpp"
#include "jsonrpc/redaction.hpp"
#include "surface/argument_schema.hpp"

namespace holdfast::calls {
namespace {

using jsonrpc::append_quoted;
using Secrets = std::span<const std::string>;

constexpr std::size_t kMaxDescriptionBytes = 500;
// The example is JSON to be copied: whole, or not at all.
constexpr jsonrpc::RedactionLimits kWhole{
    .max_bytes = 10'000, .max_string_bytes = 10'000, .max_depth = 512};

/// What the two shapes of the failure are made of, fit to be shown.
struct Findings {
    schema::ArgumentReport report = {};
    std::string description = {};
    std::string sent = {};  ///< JSON.
    /// The sentence of a rule over several arguments, if that is what the call breaks.
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

void append_pair(std::string& out, std::string_view key, std::string_view text) {
    append_quoted(out, key);
    out += ':';
    append_quoted(out, text);
}

std::string violations_json(const std::vector<schema::Violation>& violations) {
    std::string text = "[";
    for (const schema::Violation& violation : violations) {
        text += text.size() == 1 ? "{" : ",{";
        append_pair(text, "at", violation.instance);
        append_pair(text += ',', "expected", violation.expected);
        append_pair(text += ',', "got", violation.got);
        if (!violation.advice.empty()) {
            append_pair(text += ',', "advice", violation.advice);
        }
        text += '}';
    }
    return text + ']';
}

std::string parameters_json(const std::vector<schema::Parameter>& parameters) {
    std::string text = "[";
    for (const schema::Parameter& parameter : parameters) {
        text += text.size() == 1 ? "{" : ",{";
        append_pair(text, "name", parameter.name);
        append_pair(text += ',', "type", parameter.type);
        text.append(R"(,"required":)").append(parameter.is_required ? "true" : "false");
        if (!parameter.description.empty()) {
            append_pair(text += ',', "description", parameter.description);
        }
        text += '}';
    }
    return text + ']';
}

std::string object_members(const Findings& findings, const schema::ToolSchema& schema) {
    std::string text = R"("violations":)" + violations_json(findings.report.violations);
    if (findings.report.truncated) {
        text += R"(,"moreViolations":true)";
    }
    text += R"(,"parameters":)" + parameters_json(schema.parameters());
    text += R"(,"sent":)" + findings.sent;
    if (!findings.report.example.empty()) {
        text += R"(,"example":)" + findings.report.example;
    }
    return text;
}

std::string line_of(schema::Violation violation) {
    if (violation.instance.empty()) {
        violation.instance = "the arguments";
    }
    return to_text(violation);
}

/// What is wrong, in lines.
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
    std::string text = "Error calling tool '" + tool + "':\n" + reasons(findings);
    if (!findings.description.empty()) {
        text += "  Tool description: " + findings.description + '\n';
    }
    text += "  Available parameters: " + schema.parameter_summary() + '\n';
    text += "  You sent: " + findings.sent + '\n';
    text += "  Please try again with:\n    - Corrected arguments";
    return findings.report.example.empty() ? text
                                           : text + ", for example: " + findings.report.example;
}

std::string message_of(const schema::ArgumentReport& report) {
    std::string text = "The arguments do not fit: " + line_of(report.violations.front());
    const std::size_t more = report.violations.size() - 1;
    if (more > 0) {
        text += "; and " + std::to_string(more) + (report.truncated ? " or more" : "") +
                " other fault" + (more == 1 && !report.truncated ? "" : "s");
    }
    return text + '.';
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
    const std::string call_id = calls.call_ids->next();
    failure.more_members.append(failure.more_members.empty() ? "" : ",");
    failure.more_members.append(R"("callId":")").append(call_id).append("\"");
    record_refusal(calls, {.agent = request.agent, .session = request.session}, plan, failure,
                   call_id);
    const AnsweredRequest answered{
        .id = request.message.id, .method = request.message.method, .era = request.agent->era()};
    // Wrong arguments are the agent's to correct, also where failures are shown as plain results.
    const bool is_error = failure.code == FailureCode::invalid_arguments;
    request.port->finish(builtin_result_text(
        answered, is_error ? tool_result_of(failure, !plan.callable->has_output_schema)
                           : tool_result_of(failure, plan)));
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
        // A quoted value is cut, and half of a secret is not recognised: only kinds are shown.
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
    // Secrets matter only to a text that quotes the arguments: the common call takes no lock here.
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
    const auto left =
        calls.memory->held_for({.agent = request.agent}, plan, request.loop.timekeeper->now());
    if (!left) {
        return false;
    }
    const std::string seconds = std::to_string(wait_seconds(*left));
    Failure failure{.code = FailureCode::downstream_error,
                    .tool = plan.callable->exposed_name,
                    .server = plan.server->name,
                    .message =
                        "this very call has failed again and again in the same way, so it "
                        "was not sent",
                    .retry_after = left};
    failure.words = "The tool \"" + failure.tool + "\" was not called: " + failure.message +
                    ". Do not repeat it; change the arguments, or use another tool. It is held " +
                    "back for " + seconds + " s.";
    answer_with(request, std::move(failure), plan, calls);
    return true;
}

}  // namespace holdfast::calls
