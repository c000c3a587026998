#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "agents/incoming_request.hpp"
#include "catalogue/exposed_names.hpp"
#include "dispatch/gateway.hpp"
#include "surface/surface.hpp"

namespace holdfast::dispatch {

/// The only server that can have a tool of some name, and the name without the server's prefix.
struct NamedTarget {
    const surface::Server* server = nullptr;
    std::string_view own_name = {};
};

/// Returns the target that the prefix names. A name without a prefix belongs to the only server
/// that lists its tools without one. Refers to `name` and `servers`.
[[nodiscard]] std::optional<NamedTarget> target_of(std::string_view name,
                                                   const std::vector<surface::Server>& servers,
                                                   catalogue::Prefixing prefixing);

/// Whether the server may have the tool although it does not list it. False if the name resembles a
/// listed one, for servers whose tools are all known, and for policies that answer with the list.
[[nodiscard]] bool may_be_hidden(std::string_view name, const NamedTarget& target,
                                 const surface::Surface& surface,
                                 const surface::SurfaceOptions& options, resilience::TimePoint now);

/// Answers a call of an unknown tool. If the name refers to a server whose tools are unknown
/// because it is not connected, the agent is advised to wait; otherwise it gets the nearest names.
void refuse_unknown_tool(const agents::IncomingRequest& request, std::string_view name,
                         const surface::Surface& surface, const Gateway& gateway);

/// The number of nearest names from which suggestions are chosen.
[[nodiscard]] std::size_t names_to_compare(const surface::SurfaceOptions& options);

/// Returns the message that there is no such item, with suggestions out of the nearest names.
[[nodiscard]] std::string unknown_name_words(std::string_view kind, std::string_view name,
                                             std::vector<std::string_view> nearest,
                                             const surface::SurfaceOptions& options);

/// Returns the message that there is no such server, with the nearest name or the list.
[[nodiscard]] std::string unknown_server_words(std::string_view name,
                                               const std::vector<surface::Server>& servers);

}  // namespace holdfast::dispatch
