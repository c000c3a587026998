#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "cli/output/line_cut.hpp"

namespace holdfast::cli {

/// The status of a gateway, from its JSON, as text for people: its servers, then the circuits
/// that let not everything through. A terminal gets colours.
[[nodiscard]] std::string shown_status(std::string_view json, LineCut cut);

/// All circuits, one a line.
[[nodiscard]] std::string shown_circuits(std::string_view json);

/// One server of a status.
struct ShownServer {
    std::string state = {};  ///< "connected", "connecting", "error", …
    std::string reason = {};
    std::uint64_t tools = 0;
};

/// Returns a server of the status; nothing if it has none of that name.
[[nodiscard]] std::optional<ShownServer> server_in(std::string_view json, std::string_view name);

/// Whether this is the status of a gateway at all.
[[nodiscard]] bool is_status(std::string_view json);

/// Whether an operator should act: a server is in error or skipped, or does not give all its lists,
/// a circuit refuses calls, or the config file was rejected.
[[nodiscard]] bool has_problem(std::string_view json);

}  // namespace holdfast::cli
