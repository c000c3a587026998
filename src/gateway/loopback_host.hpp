#pragma once

#include <string>
#include <string_view>

namespace holdfast::gateway {

/// Of a `Host` header or of an origin behind its scheme: in small letters, without the port.
[[nodiscard]] std::string host_name_in(std::string_view host);

/// Whether a name, as `host_name_in` gives it, can mean nothing but this machine: `localhost` or an
/// address of its loopback, such as `127.0.0.2` or `[::1]`. Any other name may be one of a stranger
/// that leads here.
[[nodiscard]] bool is_loopback_name(std::string_view name);

}  // namespace holdfast::gateway
