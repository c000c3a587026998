#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "downstream/credential.hpp"
#include "holdfast/resilience/deadline.hpp"

namespace holdfast::downstream {

/// The agent behind a request, as far as a downstream may know it.
struct AgentIdentity {
    /// Identifies the agent for sessions and state. Never sent or shown, because it may contain
    /// secrets.
    std::string key = {};
    /// Whether the key is that of a session. False in the modern era.
    bool is_session = false;
    /// The principal and its client. All requests without a session and with the same value count
    /// as one agent, whatever they declare. Empty = unknown. Never sent or shown.
    std::string client = {};
    std::string capabilities = "{}";  ///< A ClientCapabilities object of its revision.
    std::string client_info = {};     ///< An Implementation object; empty = the gateway's own.
};

/// Whether two requests come from one agent. False if that is unknown.
[[nodiscard]] inline bool are_of_one_agent(const AgentIdentity* one, const AgentIdentity* other) {
    if (one == nullptr || other == nullptr || one->is_session != other->is_session) {
        return false;
    }
    return one->is_session ? one->key == other->key
                           : !one->client.empty() && one->client == other->client;
}

/// Whether two requests come from one principal and client, perhaps in different sessions.
[[nodiscard]] inline bool are_of_one_client(const AgentIdentity* one, const AgentIdentity* other) {
    return are_of_one_agent(one, other) || (one != nullptr && other != nullptr &&
                                            !one->client.empty() && one->client == other->client);
}

/// Whether a request waits while its downstream is not connected. During the very first start every
/// request waits for the end of the first dial, regardless of this value.
enum class ConnectionWait : std::uint8_t {
    never,      ///< Fails at once and reports the time of the next dial.
    first_try,  ///< Until the first dial after the loss has failed.
    always,     ///< Also through failed dials, until the server counts as down.
};

/// A request to a downstream without the parts that each link adds: id, version and tokens.
struct Request {
    std::string_view method = {};  ///< Static storage.
    /// The members of `params` except `_meta`, as JSON without braces: `"name":"x","arguments":{}`.
    std::string params_members = {};
    /// The members of `params._meta` to forward, in the same form.
    std::string meta_members = {};
    /// The value of `Mcp-Name`: the name of the tool or prompt, or the URI; empty = no such header.
    std::string name = {};
    /// The log level that the agent wants for this request; may be empty.
    std::string_view log_level = {};
    bool wants_progress = false;
    std::shared_ptr<const AgentIdentity> agent = {};  ///< Null = the gateway's own request.
    /// The agent's headers for credentials; may be null. Requests may share an answer only if these
    /// are equal.
    std::shared_ptr<const AgentHeaders> agent_headers = {};
    resilience::Deadline deadline = resilience::Deadline::never();
    ConnectionWait connection_wait = ConnectionWait::first_try;
};

}  // namespace holdfast::downstream
