#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "holdfast/resilience/result.hpp"
#include "rest/rest_api.hpp"

namespace holdfast::rest {

/// Which operations of a document become tools, and how much of it is taken.
struct OpenApiOptions {
    /// Globs over the tool's name and over `GET /path/{id}`. Empty = all.
    std::vector<std::string> include = {};
    std::vector<std::string> exclude = {};
    std::size_t max_tools = 200;
    std::size_t max_document_bytes = std::size_t{16} * 1024 * 1024;
    std::size_t max_depth = 128;            ///< Of the document.
    std::size_t max_definitions = 256;      ///< That the schema of one tool refers to.
    std::size_t max_schema_nodes = 20'000;  ///< Of one tool.
    std::size_t max_description_bytes = 4'000;
};

/// Why a document cannot be used: a phrase that follows its name.
struct OpenApiFault {
    std::string message;
};

struct OpenApiTools {
    std::vector<RestTool> tools = {};
    std::string server_url = {};             ///< The first of `servers`; empty = none.
    std::vector<std::string> left_out = {};  ///< A sentence for each operation that is no tool.
};

/// One tool for each operation of an OpenAPI document of version 3.0 or 3.1, in JSON. Parameters
/// and the members of a JSON body become the arguments; references within the document are
/// followed, others are not.
[[nodiscard]] resilience::Result<OpenApiTools, OpenApiFault> tools_of_openapi(
    std::string_view document, const OpenApiOptions& options);

}  // namespace holdfast::rest
