#pragma once

#include <string>
#include <string_view>

namespace holdfast::cli {

/// The status that a gateway tells as JSON, in words for people: its servers, then the circuits
/// that let not everything through. Colours only where a terminal shows them.
[[nodiscard]] std::string shown_status(std::string_view json, bool has_colours);

/// All circuits, one a line.
[[nodiscard]] std::string shown_circuits(std::string_view json);

/// Whether it tells of a server in error or of a circuit that refuses calls.
[[nodiscard]] bool has_trouble(std::string_view json);

}  // namespace holdfast::cli
