#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "config/credential.hpp"
#include "config/node.hpp"
#include "holdfast/resilience/time.hpp"

namespace holdfast::config {

using resilience::Duration;

/// A header, a variable of an environment, or an agent's token.
struct NamedText {
    std::string name = {};
    std::string value = {};

    friend bool operator==(const NamedText&, const NamedText&) = default;
};

/// A child process that speaks on its standard input and output.
struct StdioTarget {
    std::string command = {};
    std::vector<std::string> args = {};
    std::vector<NamedText> env = {};  ///< Secret. Added to what the child gets anyway.
    std::string cwd = {};             ///< Empty = that of the gateway.
    /// Whether it may gain privileges by running programs that have them, such as `sudo`.
    bool keeps_privileges = false;

    friend bool operator==(const StdioTarget&, const StdioTarget&) = default;
};

/// What a config says about the transport behind an http URL. Programs do not agree on "http":
/// some mean Streamable HTTP, others try that first and fall back to SSE.
enum class HttpHint : std::uint8_t { none, http, streamable_http, sse };

struct HttpTarget {
    std::string url = {};
    std::vector<NamedText> headers = {};  ///< Secret.
    HttpHint hint = HttpHint::none;

    friend bool operator==(const HttpTarget&, const HttpTarget&) = default;
};

/// We connect to it.
struct WebSocketTarget {
    std::string url = {};
    std::vector<NamedText> headers = {};  ///< Secret.

    friend bool operator==(const WebSocketTarget&, const WebSocketTarget&) = default;
};

/// It connects to us, on this path.
struct WebSocketListenTarget {
    std::string path = {};
    std::string token = {};  ///< Secret.
    std::vector<std::string> origins = {};

    friend bool operator==(const WebSocketListenTarget&, const WebSocketListenTarget&) = default;
};

/// An HTTP API. Its entry is kept as it is, with variables filled in, for the module that knows it.
struct RestTarget {
    Node entry = {};

    friend bool operator==(const RestTarget&, const RestTarget&) = default;
};

using ServerTarget =
    std::variant<StdioTarget, HttpTarget, WebSocketTarget, WebSocketListenTarget, RestTarget>;

/// Whether all agents share one session with the server, or each has its own.
enum class SessionScope : std::uint8_t { shared, per_agent };

/// Which era of the protocol the gateway speaks with the server.
enum class EraChoice : std::uint8_t {
    automatic,  ///< Modern if the server speaks it; legacy agents use its legacy era if it has one.
    legacy,
    modern,
};

struct ReconnectOptions {
    Duration delay = std::chrono::milliseconds{500};  ///< Before the first try.
    double multiplier = 2;
    Duration max_delay = std::chrono::seconds{60};
    double jitter = 0.15;       ///< Share of a delay by which it may be longer or shorter.
    std::size_t attempts = 10;  ///< Then the server counts as gone; reconnecting continues.

    friend bool operator==(const ReconnectOptions&, const ReconnectOptions&) = default;
};

/// The name of a preset or of a policy that an entry uses.
struct ChosenName {
    std::string name = {};       ///< Empty = none.
    bool has_reference = false;  ///< A variable is part of it: a wrong name may be its fault.
    bool is_unknown = false;     ///< The variable has no value. That has been reported.
};

/// One entry of `mcpServers`.
struct ServerConfig {
    std::string name = {};
    Place place = {};  ///< Of the name in the file.
    ServerTarget target = {};
    bool is_disabled = false;
    std::optional<SessionScope> session = {};
    EraChoice era = EraChoice::automatic;
    std::optional<bool> prefix = {};  ///< Nothing = as `names.prefix` says.
    bool trusts_annotations = true;
    ChosenName preset = {};
    ChosenName policy = {};                        ///< Besides those of its preset.
    std::optional<Duration> timeout = {};          ///< Of a whole call; nothing = the policy's.
    std::optional<Duration> attempt_timeout = {};  ///< Of one attempt; nothing = the policy's.
    std::optional<Duration> start_timeout = {};    ///< Of its start; nothing = the default.
    ReconnectOptions reconnect = {};
    /// Figures of its circuits by their names, for the module that knows them.
    std::optional<Node> circuits = {};
    /// Those of a REST backend are read with the rest of its entry.
    std::vector<Credential> credentials = {};
};

}  // namespace holdfast::config
