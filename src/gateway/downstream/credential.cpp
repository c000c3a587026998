#include "downstream/credential.hpp"

#include <algorithm>

namespace holdfast::downstream {
namespace {

constexpr std::string_view kRedacted = "[redacted]";

std::string_view value_of(const CredentialSource& source, const AgentHeaders* agent_headers) {
    if (source.agent_header.empty()) {
        return source.value;
    }
    if (agent_headers == nullptr) {
        return {};
    }
    const auto found = std::ranges::find(*agent_headers, source.agent_header, &AgentHeader::name);
    return found == agent_headers->end() ? std::string_view{} : std::string_view{found->value};
}

std::string_view value_of(const Credential& credential, const AgentHeaders* agent_headers) {
    for (const CredentialSource& source : credential.sources) {
        const std::string_view value = value_of(source, agent_headers);
        if (!value.empty()) {
            return value;
        }
    }
    return {};
}

}  // namespace

resilience::Result<CredentialLines, MissingCredential> credential_lines(
    const std::vector<Credential>& credentials, const AgentHeaders* agent_headers) {
    CredentialLines result;
    for (const Credential& credential : credentials) {
        const std::string_view value = value_of(credential, agent_headers);
        if (!value.empty()) {
            result.lines.append(credential.header).append(": ").append(credential.prefix);
            result.lines.append(value).append("\r\n");
            result.secrets.emplace_back(value);
        } else if (credential.is_required) {
            return MissingCredential{credential.missing};
        }
    }
    return result;
}

std::string without_secrets(std::string text, const std::vector<std::string>& secrets) {
    for (const std::string& secret : secrets) {
        for (std::size_t at = text.find(secret); !secret.empty() && at != std::string::npos;
             at = text.find(secret, at + kRedacted.size())) {
            text.replace(at, secret.size(), kRedacted);
        }
    }
    return text;
}

}  // namespace holdfast::downstream
