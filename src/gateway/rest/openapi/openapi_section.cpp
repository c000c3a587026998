#include "rest/openapi/openapi_section.hpp"

#include <array>
#include <string>
#include <utility>

#include "config/key_table.hpp"
#include "config/node_json.hpp"
#include "config/value_kinds.hpp"

namespace holdfast::rest {
namespace {

using config::Node;
using config::NodeKind;
using config::ObjectReader;

constexpr std::size_t kMaxOpenApiTools = 1'000;

constexpr std::array kDocumentKeys = {
    config::key<config::TextsKind, &OpenApiOptions::include>(
        "include",
        "Globs for the operations to use: they match the name of the tool and `GET /path/{id}`. "
        "Default: all"),
    config::key<config::TextsKind, &OpenApiOptions::exclude>("exclude",
                                                             "Globs for operations to skip"),
    config::key<config::CountKind<1, kMaxOpenApiTools>, &OpenApiOptions::max_tools>(
        "max", "Maximum number of tools"),
};

Node inline_document_schema() {
    return config::object_node({{"type", config::text_node("object")}});
}

constexpr std::array kDocumentInfos = {
    config::KeyInfo{.name = "file",
                    .description = "The file with the document, relative to the config",
                    .schema = config::text_schema},
    config::KeyInfo{.name = "document",
                    .description = "The document itself, instead of `file`",
                    .schema = inline_document_schema},
    kDocumentKeys[0].info,
    kDocumentKeys[1].info,
    kDocumentKeys[2].info,
};

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
        return config::json_of(*document);
    }
    if (file->kind != NodeKind::text) {
        reader.refuse_kind(*file, "file", "text in double quotes");
        return std::nullopt;
    }
    return text_of_file(reader, *file, "file", read_file);
}

}  // namespace

Node openapi_schema() {
    return config::any_of({config::text_schema(), config::object_schema(kDocumentInfos)});
}

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
        config::read_keys(reader, kDocumentKeys, options);
        reader.refuse_unknown(kDocumentInfos);
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
