#include "rest/openapi/openapi_section.hpp"

#include <string>
#include <utility>

#include "rest/node_json.hpp"

namespace holdfast::rest {
namespace {

using config::Node;
using config::NodeKind;
using config::ObjectReader;

constexpr std::size_t kMaxTools = 1'000;

std::optional<std::string> text_of_file(const ObjectReader& reader, const Node& name,
                                        std::string_view key, const FileReader& read_file) {
    auto text = read_file(name.text);
    if (!text) {
        reader.refuse_external(name, key, "the file " + text.error().message);
        return std::nullopt;
    }
    return std::move(*text);
}

/// Returns the document that `file` or `document` names.
std::optional<std::string> document_of(ObjectReader& reader, const FileReader& read_file) {
    const Node* file = reader.find("file");
    const Node* document = reader.find_object("document");
    if ((file == nullptr) == (document == nullptr)) {
        reader.report().refuse(reader.object().place,
                               reader.path() + ": needs either \"file\" or \"document\"");
        return std::nullopt;
    }
    if (document != nullptr) {
        return json_of(*document);
    }
    if (file->kind != NodeKind::text) {
        reader.refuse_kind(*file, "file", "text in double quotes");
        return std::nullopt;
    }
    return text_of_file(reader, *file, "file", read_file);
}

}  // namespace

std::optional<OpenApiTools> read_openapi_section(ObjectReader& owner, const FileReader& read_file) {
    const Node* value = owner.find("openapi");
    if (value == nullptr) {
        return std::nullopt;
    }
    OpenApiOptions options;
    std::optional<std::string> document;
    if (value->kind == NodeKind::text) {
        document = text_of_file(owner, *value, "openapi", read_file);
    } else if (value->kind != NodeKind::object) {
        owner.refuse_kind(*value, "openapi", "the name of a file, or an object");
    } else {
        ObjectReader reader{owner.report(), *value, owner.path_of("openapi")};
        document = document_of(reader, read_file);
        reader.read_texts("include", options.include);
        reader.read_texts("exclude", options.exclude);
        reader.read_count("max", options.max_tools, {.min = 1, .max = kMaxTools});
        reader.refuse_unknown();
    }
    if (!document) {
        return std::nullopt;
    }
    auto tools = tools_of_openapi(*document, options);
    if (!tools) {
        owner.refuse_external(*value, "openapi", "the document " + tools.error().message);
        return std::nullopt;
    }
    for (const std::string& sentence : tools->skipped) {
        owner.report().warn(value->place, owner.path_of("openapi") + ": " + sentence);
    }
    return std::move(*tools);
}

}  // namespace holdfast::rest
