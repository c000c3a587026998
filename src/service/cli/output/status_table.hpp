#pragma once

#include <string>
#include <string_view>

namespace holdfast::cli {

/// The status of a gateway, from its JSON, as text for people: its servers, then the circuits
/// that let not everything through. Colours only where a terminal shows them.
[[nodiscard]] std::string shown_status(std::string_view json, bool has_colours);

/// All circuits, one a line.
[[nodiscard]] std::string shown_circuits(std::string_view json);

/// Whether a server is in error or a circuit refuses calls.
[[nodiscard]] bool has_problem(std::string_view json);

}  // namespace holdfast::cli
