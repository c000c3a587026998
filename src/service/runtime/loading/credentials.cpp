#include "runtime/loading/credentials.hpp"

#include <algorithm>
#include <optional>
#include <utility>

namespace holdfast::runtime {
namespace {

using config::Credential;
using config::CredentialSource;
using SourceKind = CredentialSource::Kind;

constexpr std::size_t kMaxValueBytes = std::size_t{16} * 1024;

std::string words_of(const CredentialSource& source) {
    switch (source.kind) {
        case SourceKind::agent_header:
            return "send it in the header " + source.name;
        case SourceKind::variable:
            return "set the variable " + source.name + " for the gateway";
        case SourceKind::file:
            return "put it into the file " + source.name;
    }
    return {};
}

std::string words_of(const std::vector<CredentialSource>& sources) {
    std::string words;
    for (const CredentialSource& source : sources) {
        words.append(words.empty() ? "" : ", or ").append(words_of(source));
    }
    return words;
}

std::string missing_words(const Credential& credential) {
    return credential.missing.empty()
               ? "This server needs a credential that is not set: " + words_of(credential.sources) +
                     ". Nothing was sent."
               : credential.missing;
}

std::optional<std::string> value_in(const CredentialSource& source, const CredentialStore& store) {
    if (source.kind == SourceKind::variable) {
        return store.environment(source.name);
    }
    auto text = store.read_file(source.name);
    if (!text) {
        return std::nullopt;
    }
    // Editors end a file with a line break, which is not part of the secret.
    text->erase(text->find_last_not_of("\r\n") + 1);
    return std::move(*text);
}

bool is_usable(std::string_view value) {
    return value.size() <= kMaxValueBytes && std::ranges::none_of(value, [](char one) {
               return static_cast<unsigned char>(one) < 0x20 || one == '\x7F';
           });
}

/// Looks up one credential.
resilience::Result<downstream::Credential, CredentialFault> looked_up(
    const Credential& credential, const CredentialStore& store, std::vector<std::string>& secrets) {
    downstream::Credential found{.header = credential.header,
                                 .prefix = credential.prefix,
                                 .is_required = credential.is_required,
                                 .missing = missing_words(credential)};
    for (const CredentialSource& source : credential.sources) {
        if (source.kind == SourceKind::agent_header) {
            found.sources.push_back({.agent_header = source.name});
            continue;
        }
        auto value = value_in(source, store).value_or("");
        if (!is_usable(value)) {
            return CredentialFault{
                "the value of its credential is too long or has a line end in it; " +
                words_of(source) + " as one line"};
        }
        if (!value.empty()) {
            secrets.push_back(value);
            found.sources.push_back({.value = std::move(value)});
        }
    }
    return found;
}

}  // namespace

resilience::Result<Credentials, CredentialFault> looked_up_credentials(
    const std::vector<Credential>& credentials, const CredentialStore& store, bool may_be_missing) {
    Credentials result;
    for (const Credential& credential : credentials) {
        auto found = looked_up(credential, store, result.secrets);
        if (!found) {
            return std::move(found).error();
        }
        if (found->sources.empty() && credential.is_required && !may_be_missing) {
            return CredentialFault{"it needs a credential that is not set; " +
                                   words_of(credential.sources)};
        }
        for (const downstream::CredentialSource& source : found->sources) {
            if (!source.agent_header.empty()) {
                result.agent_headers.push_back(source.agent_header);
            }
        }
        if (credential.variable.empty()) {
            result.headers.push_back(std::move(*found));
        } else if (!found->sources.empty()) {
            result.variables.push_back({.name = credential.variable,
                                        .value = credential.prefix + found->sources[0].value});
        }
    }
    return result;
}

}  // namespace holdfast::runtime
