#include "rest/read_rest_api.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>
#include <variant>

#include "config/config_keys.hpp"
#include "config/key_table.hpp"
#include "config/object_reader.hpp"
#include "config/value_kinds.hpp"
#include "holdfast/resilience/expect.hpp"
#include "rest/answers/answer_keys.hpp"
#include "rest/openapi/openapi_section.hpp"
#include "rest/requests/tool_reader.hpp"
#include "rest/requests/value_reader.hpp"

namespace holdfast::config {

template <>
struct Choices<rest::RefusalForm> {
    static constexpr std::array<NamedChoice<rest::RefusalForm>, 2> kAll = {{
        {.name = "error", .choice = rest::RefusalForm::error},
        {.name = "result", .choice = rest::RefusalForm::result},
    }};
};

}  // namespace holdfast::config

namespace holdfast::rest {
namespace {

using config::FaultReport;
using config::Node;
using config::ObjectReader;

constexpr std::size_t kMaxTools = 1'000;
constexpr std::size_t kMaxConnections = 10'000;
using AnswerSize = config::SizeKind<1'024, std::size_t{1024} * 1024 * 1024>;

constexpr std::array kApiKeys = {
    config::key<config::PositiveDuration, &RestApi::connect_timeout>(
        "connectTimeout", "Timeout for opening a connection"),
    config::key<config::CountKind<1, kMaxConnections>, &RestApi::connections>(
        "connections", "Maximum number of open connections"),
    config::key<config::CountKind<0, kMaxConnections>, &RestApi::kept_alive>(
        "keptAlive", "Maximum number of idle connections that stay open"),
    config::key<AnswerSize, &RestApi::max_answer_bytes>(
        "maxAnswer",
        "The largest answer; a larger one is an error of class `tooLarge`. "
        "`limits.downstreamMessage` applies as well"),
    config::key<config::ChoiceKind<AnswerForm>, &RestApi::expects>(
        "expects",
        "`json`: a successful answer that is empty or not JSON is an error of class `malformed`. "
        "Applies to all tools; a tool can override it"),
    config::key<config::ChoiceKind<RefusalForm>, &RestApi::refusals>(
        "refusals",
        "How the agent gets the reason for a call that is not sent: as a result with `isError`, or "
        "as a plain `result`"),
};

/// Keys that need more than their kind.
constexpr std::array kOtherKeys = {
    config::KeyInfo{.name = "url",
                    .description = "The address, with the path that all tools share. Default: that "
                                   "of the OpenAPI document",
                    .schema = config::text_schema},
    config::KeyInfo{.name = "headers",
                    .description = "Headers of every request",
                    .schema = named_values_schema},
    config::KeyInfo{.name = "credentials",
                    .description = "Secrets from outside this file",
                    .schema = config::credentials_schema},
    config::KeyInfo{.name = "tools", .description = "The tools", .schema = tools_schema},
    config::KeyInfo{.name = "openapi",
                    .description = "An OpenAPI document 3.0 or 3.1 in JSON: a file, or an object. "
                                   "Each operation becomes a tool. Only references within the "
                                   "document are followed",
                    .schema = openapi_schema},
    config::KeyInfo{.name = "errorDetail",
                    .description = "Where an error response has its message: one path or a list. "
                                   "If none matches, the start of the body is shown. Default: "
                                   "`detail`, `message`, `error.message`, `error`, `title`",
                    .schema = paths_schema},
    config::KeyInfo{.name = "instructions",
                    .description = "Instructions for agents about this server, 300 bytes at most. "
                                   "They are added to the instructions of the gateway",
                    .schema = config::text_schema},
};

/// The keys of an entry of `mcpServers`, or of the section `rest` of a preset.
std::vector<config::KeyInfo> valid_keys(bool is_entry) {
    std::vector<config::KeyInfo> keys{kOtherKeys.begin(), kOtherKeys.end()};
    std::ranges::copy(config::infos_of(kApiKeys), std::back_inserter(keys));
    for (const config::KeyInfo& key : config::server_keys()) {
        // The config module reads the keys of every server.
        if (is_entry ? config::is_common_server_key(key.name) : key.name == "timeout") {
            keys.push_back(key);
        }
    }
    return keys;
}

/// Reads one or two objects into the same API, the later over the earlier.
class ApiReader final {
public:
    explicit ApiReader(const FileReader& read_file) : read_file_(read_file) {}

    void read(FaultReport& report, const Node& object, const std::string& path, bool is_entry) {
        ObjectReader reader{report, object, path};
        if (!is_entry) {
            reader.read_duration("timeout", api_.timeout, config::kPositiveDuration);
        }
        read_url(reader);
        read_headers(reader);
        if (auto credentials = config::read_credentials(reader, {})) {
            credentials_ = std::move(*credentials);
        }
        config::read_keys(reader, kApiKeys, api_);
        read_instructions(reader, api_);
        read_paths(reader, "errorDetail", api_.error_detail);
        read_openapi(reader);
        read_tools(reader);
        reader.refuse_unknown(valid_keys(is_entry));
    }

    /// Checks that need the whole API.
    void finish(FaultReport& report, const config::ServerConfig& server) {
        api_.timeout = server.timeout.value_or(api_.timeout);
        const auto refuse = [&](std::string_view message) {
            report.refuse(server.place, fmt::format("server \"{}\": {}",
                                                    config::printable(server.name), message));
        };
        if (!has_url_ && !document_url_.empty()) {
            const std::string fault = take_url(document_url_);
            if (!fault.empty()) {
                report.refuse(server.place, "openapi, servers[0].url: " + fault,
                              config::FaultCause::external);
            }
        } else if (!has_url_) {
            refuse("a server of type \"rest\" needs \"url\"");
        }
        if (api_.tools.empty()) {
            refuse("a server of type \"rest\" needs \"tools\" or \"openapi\"");
        }
    }

    [[nodiscard]] RestApi take_api() { return std::move(api_); }
    [[nodiscard]] std::vector<config::Credential> take_credentials() {
        return std::move(credentials_);
    }

private:
    void read_url(ObjectReader& reader) {
        const Node* value = reader.find("url");
        std::string text;
        reader.read_text("url", text);
        if (value != nullptr && value->kind == config::NodeKind::text) {
            has_url_ = true;
            const std::string fault = take_url(std::string{config::scalar_text(*value)});
            if (!fault.empty()) {
                reader.refuse(*value, "url", fault);
            }
        }
    }

    /// Returns what is wrong with the URL; empty if it is accepted.
    [[nodiscard]] std::string take_url(const std::string& text) {
        auto url = net::parsed_url(text);
        if (!url) {
            return url.error().message;
        }
        if (url->target.find('?') != std::string::npos) {
            return "must not have a query; move it to the tools";
        }
        api_.url = std::move(*url);
        return {};
    }

    void read_headers(ObjectReader& reader) {
        std::vector<NamedValue> headers;
        read_named_values(reader, "headers", true, headers);
        if (reader.object().find("headers") == nullptr) {
            return;
        }
        api_.headers.clear();
        for (const NamedValue& header : headers) {
            if (!header.argument.empty()) {
                reader.refuse(*reader.find("headers"), "headers",
                              "only the headers of a tool can be arguments");
            }
            api_.headers.append(header.name).append(": ").append(header.text).append("\r\n");
        }
    }

    void read_openapi(ObjectReader& reader) {
        auto read = read_openapi_section(reader, read_file_);
        if (!read) {
            return;
        }
        document_url_ = read->server_url;
        for (RestTool& tool : read->tools) {
            add(reader, std::move(tool));
        }
    }

    void read_tools(ObjectReader& reader) {
        const Node* list = reader.find_list("tools");
        if (list == nullptr) {
            return;
        }
        for (std::size_t index = 0; index < list->items.size(); ++index) {
            const std::string path = reader.path_of("tools") + '[' + std::to_string(index) + ']';
            if (auto tool = read_tool(reader.report(), list->items[index], path)) {
                add(reader, std::move(*tool));
            }
        }
    }

    void add(const ObjectReader& reader, RestTool tool) {
        const auto same = std::ranges::find(api_.tools, tool.name, &RestTool::name);
        if (same != api_.tools.end()) {
            *same = std::move(tool);
        } else if (api_.tools.size() < kMaxTools) {
            api_.tools.push_back(std::move(tool));
        } else if (!std::exchange(is_full_, true)) {
            reader.report().refuse(reader.object().place, fmt::format("{}: has more than {} tools",
                                                                      reader.path(), kMaxTools));
        }
    }

    const FileReader& read_file_;
    RestApi api_;
    std::vector<config::Credential> credentials_;
    std::string document_url_;
    bool has_url_ = false;
    bool is_full_ = false;
};

}  // namespace

std::vector<config::KeyInfo> rest_keys() {
    return valid_keys(true);
}

RestOutcome read_rest_api(const RestSource& source, const FileReader& read_file) {
    const auto* target = std::get_if<config::RestTarget>(&source.server.target);
    HOLDFAST_EXPECT(target != nullptr);
    FaultReport report{source.file_name};
    FaultReport preset_report{"presets/" + source.server.preset.name + ".json"};
    ApiReader reader{read_file};
    if (source.preset != nullptr && source.preset->kind == config::NodeKind::object) {
        reader.read(preset_report, *source.preset, "rest", false);
    }
    reader.read(report, target->entry, config::key_path("mcpServers", source.server.name), true);
    if (report.faults().empty() && preset_report.faults().empty()) {
        reader.finish(report, source.server);
    }
    std::vector<config::ConfigFault> faults = report.take_faults();
    std::ranges::move(preset_report.take_faults(), std::back_inserter(faults));
    std::vector<config::ConfigFault> warnings = report.take_warnings();
    std::ranges::move(preset_report.take_warnings(), std::back_inserter(warnings));
    if (!faults.empty()) {
        return {.api = std::move(faults), .warnings = std::move(warnings)};
    }
    return {.api = reader.take_api(),
            .credentials = reader.take_credentials(),
            .warnings = std::move(warnings)};
}

}  // namespace holdfast::rest
