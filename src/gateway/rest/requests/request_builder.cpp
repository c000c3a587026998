#include "rest/requests/request_builder.hpp"

#include <algorithm>
#include <utility>

#include "base/uri.hpp"
#include "jsonrpc/json_text.hpp"

namespace holdfast::rest {
namespace {

void append_parameter(std::string& query, std::string_view name, std::string_view value) {
    query.append(query.empty() ? "?" : "&").append(base::percent_encoded(name));
    query.append("=").append(base::percent_encoded(value));
}

// A list becomes one parameter per item, or one with commas; an object is sent as JSON.
void append_argument(std::string& query, const NamedValue& place, std::string_view json) {
    const auto items = items_of(json, {});
    if (!items) {
        const auto text = plain_text_of(json);
        append_parameter(query, place.name, text ? std::string_view{*text} : json);
        return;
    }
    std::string joined;
    for (const std::string& item : *items) {
        const std::string text = plain_text_of(item).value_or(item);
        if (place.joins_lists) {
            joined.append(joined.empty() ? "" : ",").append(text);
        } else {
            append_parameter(query, place.name, text);
        }
    }
    if (place.joins_lists && !items->empty()) {
        append_parameter(query, place.name, joined);
    }
}

// Allows only characters that all servers interpret the same way in a header.
bool is_header_text(std::string_view text) {
    return std::ranges::all_of(
        text, [](char character) { return character >= ' ' && character < '\x7F'; });
}

resilience::Result<std::string, ArgumentFault> header_lines(const RestTool& tool,
                                                            const Arguments& arguments) {
    std::string lines;
    for (const NamedValue& header : tool.headers) {
        const auto json = header.argument.empty() ? std::nullopt : arguments.find(header.argument);
        if (!header.argument.empty() && !json) {
            continue;
        }
        const auto value = json ? plain_text_of(*json) : std::optional{header.text};
        if (!value || !is_header_text(*value)) {
            return ArgumentFault{"The argument \"" + header.argument +
                                 "\" becomes a header: it must be a text, a number or a bool, of "
                                 "plain characters on one line."};
        }
        lines.append(header.name).append(": ").append(*value).append("\r\n");
    }
    return lines;
}

/// Returns the arguments to which the config assigns a place.
std::vector<std::string_view> placed_arguments(const RestTool& tool) {
    std::vector<std::string_view> names = tool.path.parameters();
    for (const auto* places : {&tool.query, &tool.headers}) {
        for (const NamedValue& place : *places) {
            names.emplace_back(place.argument);
        }
    }
    if (tool.body) {
        std::ranges::copy(tool.body->parameters(), std::back_inserter(names));
    }
    return names;
}

std::string query_of(const RestTool& tool, const Arguments& arguments) {
    std::string query;
    for (const NamedValue& place : tool.query) {
        if (place.argument.empty()) {
            append_parameter(query, place.name, place.text);
        } else if (const auto json = arguments.find(place.argument)) {
            append_argument(query, place, *json);
        }
    }
    return query;
}

/// Puts the remaining arguments into the body or the query.
void place_rest(const RestTool& tool, const Arguments& arguments, std::string& query,
                std::string& body) {
    const bool is_for_body = has_body(tool.method) && !tool.body && !tool.has_no_body;
    const auto placed = placed_arguments(tool);
    std::string members;
    for (const Arguments::Argument& argument : arguments.all()) {
        if (std::ranges::find(placed, argument.name) != placed.end()) {
            continue;
        }
        if (is_for_body) {
            members.append(members.empty() ? "" : ",");
            jsonrpc::append_quoted(members, argument.name);
            members.append(":").append(argument.value);
        } else if (argument.value != "null") {
            append_argument(query, {.name = argument.name}, argument.value);
        }
    }
    if (is_for_body) {
        body = '{' + members + '}';
    }
}

/// Returns the base path without a trailing slash, because every tool's path begins with one.
std::string_view base_path(const RestApi& api) {
    std::string_view base = api.url.target;
    while (base.ends_with('/')) {
        base.remove_suffix(1);
    }
    return base;
}

}  // namespace

bool has_body(std::string_view method) noexcept {
    return method == "POST" || method == "PUT" || method == "PATCH";
}

resilience::Result<RestRequest, ArgumentFault> built_request(const RestApi& api,
                                                             const RestTool& tool,
                                                             const Arguments& arguments) {
    auto path = tool.path.expanded(arguments);
    if (!path) {
        return std::move(path).error();
    }
    auto headers = header_lines(tool, arguments);
    if (!headers) {
        return std::move(headers).error();
    }
    RestRequest request;
    std::string query = query_of(tool, arguments);
    if (tool.body) {
        request.body = tool.body->expanded(arguments).value_or("");
    }
    place_rest(tool, arguments, query, request.body);
    request.target.append(base_path(api)).append(*path).append(query);
    request.headers = "Accept: application/json, */*;q=0.5\r\n" + api.headers + *headers;
    if (!request.body.empty()) {
        request.headers += "Content-Type: application/json\r\n";
    }
    return request;
}

}  // namespace holdfast::rest
