#pragma once

#include <chrono>
#include <cstdint>
#include <iosfwd>
#include <optional>
#include <string>
#include <string_view>

#include "cli/exit_code.hpp"
#include "holdfast/resilience/result.hpp"
#include "holdfast/resilience/time.hpp"

namespace holdfast::cli {

/// Which running gateway a command asks: of this user's, by its process id, or the one at a URL.
struct AdminChoice {
    std::string url = {};    ///< Of its admin listener; empty = one of this user's.
    std::string token = {};  ///< What that listener asks for.
    std::int64_t pid = 0;    ///< Zero = the only one there is.
    resilience::Duration timeout = std::chrono::seconds{10};
};

struct AdminAnswer {
    int status = 0;
    std::string body = {};
};

/// Why there is no answer, as a sentence.
struct AdminFault {
    std::string message = {};
    int exit_code = kExitFailure;  ///< Of the command that asked.
};

using AdminResult = resilience::Result<AdminAnswer, AdminFault>;

/// Where a gateway was found.
struct AdminPlace {
    std::string url = {};
    std::string socket = {};  ///< Empty = the URL is dialled.
    std::string token = {};
};

[[nodiscard]] resilience::Result<AdminPlace, AdminFault> find_gateway(const AdminChoice& choice);

/// The address for agents of the only gateway of this user that has one. Nothing if none is
/// running, or none that has an address. Several are a fault.
[[nodiscard]] resilience::Result<std::optional<std::string>, AdminFault> find_agent_address();

/// Asks it once and waits. `method` is GET or POST.
[[nodiscard]] AdminResult ask_admin(const AdminPlace& place, std::string_view method,
                                    const std::string& target, resilience::Duration timeout);

/// Finds the gateway and asks it once.
[[nodiscard]] AdminResult ask_admin(const AdminChoice& choice, std::string_view method,
                                    const std::string& target);

[[nodiscard]] bool is_good(const AdminResult& answer);
/// Writes why there is no good answer: the fault, or what the gateway says. Returns the exit code.
[[nodiscard]] int report_fault(const AdminResult& answer, std::ostream& errors);

}  // namespace holdfast::cli
