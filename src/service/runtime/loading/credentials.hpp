#pragma once

#include <functional>
#include <string>
#include <vector>

#include "config/credential.hpp"
#include "config/interpolation.hpp"
#include "config/server_config.hpp"
#include "downstream/credential.hpp"
#include "holdfast/resilience/result.hpp"
#include "rest/read_rest_api.hpp"

namespace holdfast::runtime {

/// The source of fixed values.
struct CredentialStore {
    config::Environment environment = {};
    rest::FileReader read_file = {};
};

/// The credentials of one server with the values that are known before any agent connects.
struct Credentials {
    std::vector<downstream::Credential> headers = {};
    std::vector<config::NamedText> variables = {};  ///< Of a child's environment. Secret.
    std::vector<std::string> agent_headers = {};    ///< That must be taken from agents' requests.
    std::vector<std::string> secrets = {};          ///< All values, for redaction.

    friend bool operator==(const Credentials&, const Credentials&) = default;
};

/// Why a credential has no usable value, as the end of a sentence. Never contains the value.
struct CredentialFault {
    std::string message;
};

/// Fails when a required one cannot have a value, whatever an agent sends; unless `may_be_missing`:
/// then agents get an error.
[[nodiscard]] resilience::Result<Credentials, CredentialFault> looked_up_credentials(
    const std::vector<config::Credential>& credentials, const CredentialStore& store,
    bool may_be_missing);

}  // namespace holdfast::runtime
