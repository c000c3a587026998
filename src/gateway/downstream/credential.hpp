#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "holdfast/resilience/result.hpp"

namespace holdfast::downstream {

/// A header of an agent's request that a downstream's config names.
struct AgentHeader {
    std::string name = {};  ///< In small letters.
    std::string value = {};
};

/// What an agent's request brought along for downstreams. Made once and never changed.
using AgentHeaders = std::vector<AgentHeader>;

/// Where the value of a credential comes from: a header of the agent's request, or fixed.
struct CredentialSource {
    std::string agent_header = {};  ///< In small letters; empty = `value` is meant.
    std::string value = {};         ///< Secret. Empty = this source has none.

    friend bool operator==(const CredentialSource&, const CredentialSource&) = default;
};

/// A secret that the requests to one downstream carry in a header.
struct Credential {
    std::vector<CredentialSource> sources = {};  ///< The first that has a value is taken.
    std::string header = {};
    std::string prefix = {};   ///< Before the value, as in "Bearer ".
    bool is_required = true;   ///< Without a value nothing is sent.
    std::string missing = {};  ///< What the agent is told then.

    friend bool operator==(const Credential&, const Credential&) = default;
};

/// No source of a required credential has a value.
struct MissingCredential {
    std::string message;  ///< For the agent.
};

/// What the credentials of one request are.
struct CredentialLines {
    std::string lines = {};  ///< Header lines, complete.
    /// The values in them, which no text may show.
    std::vector<std::string> secrets = {};
};

/// `agent_headers` may be null: the agent has none, or the gateway asks for itself.
[[nodiscard]] resilience::Result<CredentialLines, MissingCredential> credential_lines(
    const std::vector<Credential>& credentials, const AgentHeaders* agent_headers);

/// The text with "[redacted]" in the place of each secret.
[[nodiscard]] std::string without_secrets(std::string text,
                                          const std::vector<std::string>& secrets);

}  // namespace holdfast::downstream
