#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "holdfast/resilience/result.hpp"
#include "rest/rest_api.hpp"

namespace holdfast::rest {

/// Which operations of a document become tools, and the limits for the document.
struct OpenApiOptions {
    /// Globs that match the tool's name or a text like `GET /path/{id}`. Empty = all operations.
    std::vector<std::string> include = {};
    std::vector<std::string> exclude = {};
    std::size_t max_tools = 200;
    std::size_t max_document_bytes = std::size_t{16} * 1024 * 1024;
    std::size_t max_depth = 128;            ///< Nesting of the document.
    std::size_t max_definitions = 256;      ///< Schemas that one tool refers to.
    std::size_t max_schema_nodes = 20'000;  ///< In the schema of one tool.
    std::size_t max_description_bytes = 4'000;
};

/// Why a document cannot be used, as a phrase that follows the document's name.
struct OpenApiFault {
    std::string message;
};

struct OpenApiTools {
    std::vector<RestTool> tools = {};
    std::string server_url = {};            ///< The first of `servers`; may be empty.
    std::vector<std::string> skipped = {};  ///< One sentence per operation that is not a tool.
};

/// Returns one tool per operation of an OpenAPI 3.0 or 3.1 document in JSON. Parameters and the
/// members of a JSON body become arguments. References within the document are followed; other
/// references are not.
[[nodiscard]] resilience::Result<OpenApiTools, OpenApiFault> tools_of_openapi(
    std::string_view document, const OpenApiOptions& options);

}  // namespace holdfast::rest
