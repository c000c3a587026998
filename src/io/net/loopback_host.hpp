#pragma once

#include <string_view>

namespace holdfast::net {

/// The name in a `Host` header, or in an origin behind its scheme: `[::1]` of `[::1]:80`.
[[nodiscard]] std::string_view without_port(std::string_view host);

/// Whether a name in small letters, without a port, can mean nothing but this machine: `localhost`
/// or an address of its loopback, such as `127.0.0.2` or `[::1]`. Any other name may be one of a
/// stranger that leads here.
[[nodiscard]] bool is_loopback_name(std::string_view name);

}  // namespace holdfast::net
