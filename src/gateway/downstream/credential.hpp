#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "holdfast/resilience/result.hpp"

namespace holdfast::downstream {

/// A header of an agent's request that a downstream's config names.
struct AgentHeader {
    std::string name = {};  ///< In lower case.
    std::string value = {};
};

/// The headers of an agent's request that are meant for downstreams. Immutable once created.
using AgentHeaders = std::vector<AgentHeader>;

/// The source of a credential's value: a header of the agent's request, or a fixed value.
struct CredentialSource {
    std::string agent_header = {};  ///< In lower case; empty = `value` applies.
    std::string value = {};         ///< Secret. Empty = this source has no value.

    friend bool operator==(const CredentialSource&, const CredentialSource&) = default;
};

/// A secret that requests to one downstream carry in a header.
struct Credential {
    std::vector<CredentialSource> sources = {};  ///< The first source with a value is used.
    std::string header = {};
    std::string prefix = {};   ///< Before the value, for example "Bearer ".
    bool is_required = true;   ///< Without a value the request is not sent.
    std::string missing = {};  ///< The message for the agent if the value is missing.

    friend bool operator==(const Credential&, const Credential&) = default;
};

/// No source of a required credential has a value.
struct MissingCredential {
    std::string message;  ///< For the agent.
};

/// The credentials of one request.
struct CredentialLines {
    std::string lines = {};  ///< Complete header lines.
    /// The values in the lines; no text may show them.
    std::vector<std::string> secrets = {};
};

/// `agent_headers` is null if the agent has none or the gateway sends the request itself.
[[nodiscard]] resilience::Result<CredentialLines, MissingCredential> credential_lines(
    const std::vector<Credential>& credentials, const AgentHeaders* agent_headers);

/// Replaces each secret in the text by "[redacted]".
[[nodiscard]] std::string without_secrets(std::string text,
                                          const std::vector<std::string>& secrets);

}  // namespace holdfast::downstream
