#include "rest/openapi.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>
#include <set>
#include <utility>

#include "base/glob.hpp"
#include "rest/openapi/openapi_operation.hpp"
#include "rest/openapi/openapi_schemas.hpp"

namespace holdfast::rest {
namespace {

namespace json = boost::json;

constexpr std::size_t kMaxSkipMessages = 50;

struct Method {
    const char* key;
    std::string_view name;
};
// HEAD returns no content, and OPTIONS and TRACE are of no use to agents.
constexpr std::array<Method, 5> kMethods = {
    {{"get", "GET"}, {"post", "POST"}, {"put", "PUT"}, {"patch", "PATCH"}, {"delete", "DELETE"}}};

bool fits_any(const std::vector<std::string>& globs, std::string_view name,
              std::string_view request) {
    return std::ranges::any_of(globs, [&](const std::string& glob) {
        return base::glob_matches(glob, name) || base::glob_matches(glob, request);
    });
}

/// Converts the operations of a document into tools.
class Converter final {
public:
    Converter(const json::value& document, const OpenApiOptions& options)
        : document_(document), options_(options) {}

    OpenApiTools convert(const json::object& paths) {
        for (const json::key_value_pair& path : paths) {
            const json::value* item = resolved(document_, path.value());
            if (item == nullptr || !item->is_object()) {
                continue;
            }
            for (const Method& method : kMethods) {
                if (const json::value* operation = item->get_object().if_contains(method.key)) {
                    add({.document = document_,
                         .path = {path.key().data(), path.key().size()},
                         .path_item = *item,
                         .method = method.name,
                         .operation = *operation});
                }
            }
        }
        if (too_many_ != 0) {
            result_.skipped.push_back(fmt::format(
                "{} operations skipped: at most {} operations become tools; select them "
                "with \"include\"",
                too_many_, options_.max_tools));
        }
        return std::move(result_);
    }

private:
    void add(const OpenApiOperation& operation) {
        const std::string request =
            std::string{operation.method} + " " + std::string{operation.path};
        const std::string name = tool_name_of(operation);
        const bool is_wanted =
            options_.include.empty() || fits_any(options_.include, name, request);
        if (!is_wanted || fits_any(options_.exclude, name, request)) {
            return;
        }
        if (result_.tools.size() >= options_.max_tools) {
            ++too_many_;
            return;
        }
        auto tool = tool_of(operation, options_);
        if (!tool) {
            if (result_.skipped.size() < kMaxSkipMessages) {
                result_.skipped.push_back(
                    fmt::format("{} skipped: {}", request, tool.error().message));
            }
            return;
        }
        tool->name = free_name(name);
        result_.tools.push_back(std::move(*tool));
    }

    std::string free_name(const std::string& name) {
        std::string free = name;
        for (int number = 2; !names_.insert(free).second; ++number) {
            free = name + "_" + std::to_string(number);
        }
        return free;
    }

    const json::value& document_;
    const OpenApiOptions& options_;
    OpenApiTools result_;
    std::set<std::string> names_;
    std::size_t too_many_ = 0;
};

std::string first_server_of(const json::object& document) {
    const json::value* servers = document.if_contains("servers");
    if (servers == nullptr || !servers->is_array() || servers->get_array().empty()) {
        return {};
    }
    const json::object* first = servers->get_array().front().if_object();
    const json::value* url = first == nullptr ? nullptr : first->if_contains("url");
    const json::string* text = url == nullptr ? nullptr : url->if_string();
    return text == nullptr ? std::string{} : std::string{text->data(), text->size()};
}

bool has_known_version(const json::object& document) {
    const json::value* version = document.if_contains("openapi");
    const json::string* text = version == nullptr ? nullptr : version->if_string();
    const std::string_view number =
        text == nullptr ? std::string_view{} : std::string_view{text->data(), text->size()};
    return number.starts_with("3.0") || number.starts_with("3.1");
}

}  // namespace

resilience::Result<OpenApiTools, OpenApiFault> tools_of_openapi(std::string_view document,
                                                                const OpenApiOptions& options) {
    if (document.size() > options.max_document_bytes) {
        return OpenApiFault{"is larger than the limit of " +
                            std::to_string(options.max_document_bytes) + " bytes"};
    }
    json::error_code error;
    json::parse_options parsing;
    parsing.max_depth = options.max_depth;
    const json::value root =
        json::parse({document.data(), document.size()}, error, json::storage_ptr{}, parsing);
    if (error) {
        return OpenApiFault{"is not JSON (" + error.message() +
                            "); convert a YAML document to JSON first"};
    }
    const json::object* object = root.if_object();
    if (object == nullptr || !has_known_version(*object)) {
        return OpenApiFault{"is not an OpenAPI 3.0 or 3.1 document"};
    }
    const json::value* paths = object->if_contains("paths");
    if (paths == nullptr || !paths->is_object()) {
        return OpenApiFault{"has no \"paths\""};
    }
    OpenApiTools tools = Converter{root, options}.convert(paths->get_object());
    tools.server_url = first_server_of(*object);
    return tools;
}

}  // namespace holdfast::rest
