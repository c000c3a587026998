#include "runtime/servers/server_setup.hpp"

namespace holdfast::runtime {

ServerSetup setup_of(const config::ServerConfig& server, const ResolvedServer& plan,
                     const config::ReconnectOptions& reconnect, const config::Limits& limits,
                     policy::JunkRule junk) {
    return {.target = server.target,
            .session = server.session,
            .era = server.era,
            .preset = server.preset.name,
            .credentials = plan.credentials,
            .rest = plan.rest,
            .reconnect = reconnect,
            .max_message_bytes = limits.downstream_message_bytes,
            .max_stderr_bytes = limits.stderr_bytes,
            .junk = junk};
}

}  // namespace holdfast::runtime
