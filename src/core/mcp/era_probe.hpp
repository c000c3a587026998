#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "mcp/revision.hpp"

namespace holdfast::mcp {

/// The answer of a downstream to `server/discover`, which probes its era.
struct ProbeAnswer {
    enum class Kind : std::uint8_t {
        result,       ///< A result; `versions` are its `supportedVersions`.
        rpc_error,    ///< A JSON-RPC error with `code`; `versions` are its `data.supported`.
        bare_status,  ///< An HTTP status without a JSON-RPC body.
        silence,      ///< No answer within the timeout, on a channel that stayed open.
        closed,       ///< The connection was closed or the process exited.
    };

    Kind kind = Kind::silence;
    int http_status = 0;  ///< Zero where the transport has none.
    int code = 0;
    std::vector<std::string_view> versions = {};
};

enum class ProbeVerdict : std::uint8_t {
    modern,        ///< Speak the revision that `version` names.
    legacy,        ///< Send `initialize`.
    restart,       ///< The probe ended the process: restart it and send `initialize` first.
    incompatible,  ///< The server supports only revisions that we do not know.
    unauthorized,  ///< The answer does not show the era.
    unavailable,   ///< The answer does not show the era; try again later.
};

struct ProbeConclusion {
    ProbeVerdict verdict = ProbeVerdict::unavailable;
    std::optional<Revision> version = std::nullopt;
};

/// Concludes the era from an answer. No single error code means "legacy": old servers answer with
/// any code, with none, or by exiting. `is_child` marks a child process on stdio, where silence is
/// an answer too.
[[nodiscard]] ProbeConclusion concluded(const ProbeAnswer& answer, bool is_child);

}  // namespace holdfast::mcp
