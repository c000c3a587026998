#include "cli/commands/eval_files.hpp"

#include <boost/json.hpp>
#include <utility>

#include "platform/archive.hpp"
#include "platform/read_file.hpp"

namespace holdfast::cli {
namespace {

namespace json = boost::json;

constexpr std::size_t kMaxFileBytes = 1024UL * 1024 * 1024;

std::string text_at(const json::object& object, std::string_view key) {
    const json::value* value = object.if_contains(key);
    const json::string* text = value == nullptr ? nullptr : value->if_string();
    return text == nullptr ? std::string{} : std::string{text->begin(), text->end()};
}

std::vector<search::ToolParameter> parameters_at(const json::object& tool) {
    std::vector<search::ToolParameter> parameters;
    const json::value* value = tool.if_contains("parameters");
    const json::object* schema = value == nullptr ? nullptr : value->if_object();
    if (schema == nullptr) {
        parameters.push_back({.description = text_at(tool, "parameters")});
        return parameters;
    }
    const json::value* properties = schema->if_contains("properties");
    if (properties == nullptr || !properties->is_object()) {
        return parameters;
    }
    for (const auto& [name, property] : properties->get_object()) {
        const json::object* about = property.if_object();
        parameters.push_back(
            {.name = name,
             .description = about == nullptr ? std::string{} : text_at(*about, "description")});
    }
    return parameters;
}

/// The texts of a list; other items are skipped.
std::set<std::string, std::less<>> texts_of(const json::value& value) {
    std::set<std::string, std::less<>> texts;
    if (const json::array* list = value.if_array()) {
        for (const json::value& item : *list) {
            if (const json::string* text = item.if_string()) {
                texts.emplace(text->begin(), text->end());
            }
        }
    }
    return texts;
}

search::JudgedQuery query_of(const json::object& object) {
    search::JudgedQuery query{.text = text_at(object, "query")};
    const json::value* groups = object.if_contains("groups");
    if (groups != nullptr && groups->is_array() && !groups->get_array().empty()) {
        for (const json::value& group : groups->get_array()) {
            query.needs.push_back(texts_of(group));
        }
    } else if (const json::value* relevant = object.if_contains("relevant")) {
        for (const std::string& id : texts_of(*relevant)) {
            query.needs.push_back({id});
        }
    }
    return query;
}

/// Calls `visit` with the object of each line.
template <class Visit>
std::optional<platform::FileFault> for_each_object(std::string_view lines, const Visit& visit) {
    std::size_t number = 0;
    while (!lines.empty()) {
        const std::size_t end = std::min(lines.find('\n'), lines.size());
        const std::string_view line = lines.substr(0, end);
        lines.remove_prefix(std::min(end + 1, lines.size()));
        ++number;
        if (line.find_first_not_of(" \t\r") == std::string_view::npos) {
            continue;
        }
        boost::system::error_code error;
        const json::value value = json::parse(line, error);
        if (error || !value.is_object()) {
            return platform::FileFault{"line " + std::to_string(number) + " is not a JSON object"};
        }
        visit(value.get_object());
    }
    return std::nullopt;
}

}  // namespace

EvalResult<std::vector<search::ToolDocument>> eval_tools(std::string_view lines) {
    std::vector<search::ToolDocument> tools;
    auto fault = for_each_object(lines, [&tools](const json::object& object) {
        search::ToolDocument tool{.id = text_at(object, "id"),
                                  .name = text_at(object, "name"),
                                  .server = text_at(object, "server"),
                                  .description = text_at(object, "description"),
                                  .parameters = parameters_at(object)};
        if (tool.id.empty()) {
            tool.id = tool.name;
        }
        tools.push_back(std::move(tool));
    });
    if (fault) {
        return std::move(*fault);
    }
    return tools;
}

EvalResult<std::vector<search::JudgedQuery>> eval_queries(std::string_view lines) {
    std::vector<search::JudgedQuery> queries;
    auto fault = for_each_object(
        lines, [&queries](const json::object& object) { queries.push_back(query_of(object)); });
    if (fault) {
        return std::move(*fault);
    }
    return queries;
}

EvalResult<std::string> eval_file(const std::string& path) {
    auto content = platform::read_file(path, kMaxFileBytes);
    if (!content || !platform::is_gzip(*content)) {
        return content;
    }
    auto text = platform::unzipped(*content, kMaxFileBytes);
    if (!text) {
        return platform::FileFault{path + " is not a whole gzip file"};
    }
    return std::move(*text);
}

}  // namespace holdfast::cli
