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
    /// Same key = same agent, for sessions and state. Never sent or shown: it may hold secrets.
    std::string key = {};
    /// Whether all requests with this key come from one agent. False in the modern era, where every
    /// request stands alone and two of them may be of different agents of one principal.
    bool is_session = false;
    std::string capabilities = "{}";  ///< A ClientCapabilities object of its revision.
    std::string client_info = {};     ///< An Implementation object; empty = the gateway's own.
};

/// Whether a request waits while its downstream is not connected. During the very first start every
/// request waits until the first dial has ended, whatever this says.
enum class ConnectionWait : std::uint8_t {
    never,      ///< Fails at once, with the time of the next dial.
    first_try,  ///< Until the first dial since the loss has failed.
    always,     ///< Through failed dials too, until the server counts as gone.
};

/// What is asked of a downstream, without what each leg negotiates for itself: id, version, tokens.
struct Request {
    std::string_view method = {};  ///< Of static storage.
    /// The members of `params` but for `_meta`, as JSON without braces:
    /// `"name":"x","arguments":{}`.
    std::string params_members = {};
    /// The members of `params._meta` that are passed on, likewise.
    std::string meta_members = {};
    /// What `Mcp-Name` says: the tool's or prompt's name, or the uri; empty = no such header.
    std::string name = {};
    /// The level of log messages that the agent wants for this request; empty = none.
    std::string_view log_level = {};
    bool wants_progress = false;
    std::shared_ptr<const AgentIdentity> agent = {};  ///< Null: the gateway asks for itself.
    /// What the agent brought along for credentials; null = nothing. Whoever shares an answer
    /// between requests has to tell them apart by this, too.
    std::shared_ptr<const AgentHeaders> agent_headers = {};
    resilience::Deadline deadline = resilience::Deadline::never();
    ConnectionWait connection_wait = ConnectionWait::first_try;
};

}  // namespace holdfast::downstream
