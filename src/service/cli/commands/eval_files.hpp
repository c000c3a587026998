#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "holdfast/resilience/result.hpp"
#include "platform/private_file.hpp"
#include "search/evaluation.hpp"
#include "search/tool_document.hpp"

// Test sets for searching: files of JSON objects, one a line, which may be compressed with gzip.
//
//     tools     {"id", "name", "description", "parameters", "server"}; all but the name are
//     optional.
//               The parameters are a text, or a JSON Schema of the arguments.
//     queries   {"query", "relevant": [ids], "groups": [[ids]]}; with groups each of them is one
//               need, else each relevant tool is.

namespace holdfast::cli {

template <class T>
using EvalResult = resilience::Result<T, platform::FileFault>;

[[nodiscard]] EvalResult<std::vector<search::ToolDocument>> eval_tools(std::string_view lines);
[[nodiscard]] EvalResult<std::vector<search::JudgedQuery>> eval_queries(std::string_view lines);

/// The lines of a file, unzipped if need be.
[[nodiscard]] EvalResult<std::string> eval_file(const std::string& path);

}  // namespace holdfast::cli
