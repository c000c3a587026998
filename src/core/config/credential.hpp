#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "config/object_reader.hpp"
#include "config/place.hpp"

namespace holdfast::config {

/// One place where the value of a credential may come from.
struct CredentialSource {
    enum class Kind : std::uint8_t {
        agent_header,  ///< Of the agent's request over HTTP.
        variable,      ///< Of the gateway's environment.
        file,          ///< Relative to the config; a line break after the value is removed.
    };

    Kind kind = Kind::variable;
    std::string name = {};  ///< Of a header in small letters.

    friend bool operator==(const CredentialSource&, const CredentialSource&) = default;
};

/// An entry of `credentials`: a secret that goes to the server. It is known here by the name of its
/// source only.
struct Credential {
    std::vector<CredentialSource> sources = {};  ///< The first that has a value is taken.
    std::string header = {};                     ///< That carries it; or else
    std::string variable = {};                   ///< of the child's environment.
    std::string prefix = {};                     ///< Before the value, as in "Bearer ".
    bool is_required = true;                     ///< Without it nothing is sent.
    std::string missing = {};                    ///< The error for the agent; empty = our text.
    Place place = {};

    friend bool operator==(const Credential&, const Credential&) = default;
};

/// How credentials can reach a kind of server.
struct CredentialUse {
    bool is_header = true;            ///< As a header, or as a variable of the child.
    bool takes_agent_headers = true;  ///< Whether one server can be used with many values.
};

/// Reads the key `credentials`; nothing when it is not there.
[[nodiscard]] std::optional<std::vector<Credential>> read_credentials(ObjectReader& owner,
                                                                      const CredentialUse& use);

}  // namespace holdfast::config
