#pragma once

#include <string>
#include <string_view>

namespace holdfast::platform {

/// Sends a notification to the service manager in systemd's protocol: `READY=1`, `RELOADING=1`,
/// `STOPPING=1`, one per line. `socket` is the value of NOTIFY_SOCKET: a path, or a name after `@`.
/// Returns false if it could not be sent, which the caller may ignore: systemd has its own
/// timeouts.
[[nodiscard]] bool send_service_notice(const std::string& socket, std::string_view state);

/// Sends a notification to the manager that started this process; does nothing if there is none.
void tell_service_manager(std::string_view state);

/// Returns the notification to send before `READY=1` when the config is reloaded.
[[nodiscard]] std::string reloading_notice();

}  // namespace holdfast::platform
