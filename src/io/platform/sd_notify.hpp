#pragma once

#include <string>
#include <string_view>

namespace holdfast::platform {

/// Tells the service manager how we are, as systemd's protocol has it: `READY=1`, `RELOADING=1`,
/// `STOPPING=1`, a line each. `socket` is what NOTIFY_SOCKET says: a path, or a name behind `@`.
/// False if nobody could be told, which is no reason to stop: systemd notices by its own timeouts.
[[nodiscard]] bool send_service_notice(const std::string& socket, std::string_view state);

/// The same to the manager that started this process; does nothing if there is none.
void tell_service_manager(std::string_view state);

/// What is to be told before `READY=1` when the config is read anew.
[[nodiscard]] std::string reloading_notice();

}  // namespace holdfast::platform
