#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

#include "config/fault_report.hpp"
#include "config/node.hpp"

namespace holdfast::config {

struct DocumentLimits {
    std::size_t max_bytes = std::size_t{4} * 1024 * 1024;
    std::size_t max_depth = 64;
    std::size_t max_values = 200'000;
};

/// Reads JSON with comments, trailing commas and a byte order mark. Faults are added to the report;
/// after a small one (a missing comma, a bad escape) reading continues, to find the next.
/// There is a result when the text has a shape that can be relied on: then the only faults may be
/// keys that stand twice in an object.
[[nodiscard]] std::optional<Node> read_document(std::string_view text, FaultReport& report,
                                                const DocumentLimits& limits = {});

}  // namespace holdfast::config
