#include "mcp/era_probe.hpp"

#include <span>

#include "mcp/protocol_error.hpp"

namespace holdfast::mcp {
namespace {

std::optional<Revision> newest_common(std::span<const std::string_view> versions) {
    std::optional<Revision> newest;
    for (const std::string_view text : versions) {
        const auto revision = revision_from_text(text);
        if (revision && era_of(*revision) == Era::modern && (!newest || *newest < *revision)) {
            newest = revision;
        }
    }
    return newest;
}

ProbeConclusion from_status(int status) {
    if (status == 401 || status == 403) {
        return {.verdict = ProbeVerdict::unauthorized};
    }
    return {.verdict = status >= 500 ? ProbeVerdict::unavailable : ProbeVerdict::legacy};
}

ProbeConclusion from_error(const ProbeAnswer& answer) {
    if (answer.http_status == 401 || answer.http_status == 403 || answer.http_status >= 500) {
        return from_status(answer.http_status);
    }
    if (answer.code != kUnsupportedVersion) {
        return {.verdict = ProbeVerdict::legacy};
    }
    // This applies even to the version that the server just rejected: its list says that it
    // supports it.
    if (const auto version = newest_common(answer.versions)) {
        return {.verdict = ProbeVerdict::modern, .version = version};
    }
    return {.verdict = ProbeVerdict::incompatible};
}

}  // namespace

ProbeConclusion concluded(const ProbeAnswer& answer, bool is_child) {
    switch (answer.kind) {
        case ProbeAnswer::Kind::result: {
            if (answer.versions.empty()) {
                // Some old servers answer every unknown request with an empty result.
                return {.verdict = ProbeVerdict::legacy};
            }
            const auto version = newest_common(answer.versions);
            return version ? ProbeConclusion{.verdict = ProbeVerdict::modern, .version = version}
                           : ProbeConclusion{.verdict = ProbeVerdict::incompatible};
        }
        case ProbeAnswer::Kind::rpc_error:
            return from_error(answer);
        case ProbeAnswer::Kind::bare_status:
            return from_status(answer.http_status);
        case ProbeAnswer::Kind::silence:
            return {.verdict = is_child ? ProbeVerdict::legacy : ProbeVerdict::unavailable};
        case ProbeAnswer::Kind::closed:
            return {.verdict = is_child ? ProbeVerdict::restart : ProbeVerdict::unavailable};
    }
    return {};
}

}  // namespace holdfast::mcp
