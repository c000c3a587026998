#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "mcp/revision.hpp"

namespace holdfast::mcp {

/// What came back when a downstream was asked `server/discover` to learn its era.
struct ProbeAnswer {
    enum class Kind : std::uint8_t {
        result,       ///< A result; `versions` are its `supportedVersions`.
        rpc_error,    ///< A JSON-RPC error with `code`; `versions` are its `data.supported`.
        bare_status,  ///< An HTTP status without a JSON-RPC body.
        silence,      ///< Nothing within the time, on a channel that stayed open.
        closed,       ///< The connection or the process went away.
    };

    Kind kind = Kind::silence;
    int http_status = 0;  ///< Zero where the transport has none.
    int code = 0;
    std::vector<std::string_view> versions = {};
};

enum class ProbeVerdict : std::uint8_t {
    modern,        ///< Speak the revision that `version` names.
    legacy,        ///< Send `initialize`.
    restart,       ///< It died of the probe: start it again, and send `initialize` at once.
    incompatible,  ///< It speaks only revisions that we do not know.
    unauthorized,  ///< Says nothing about the era.
    unavailable,   ///< Says nothing about the era; try again later.
};

struct ProbeConclusion {
    ProbeVerdict verdict = ProbeVerdict::unavailable;
    std::optional<Revision> version = std::nullopt;
};

/// What an answer says about the era. A single error code is never trusted to mean "legacy": old
/// servers answer with any, with none, or by leaving. `is_child` is for a process of ours on stdio,
/// where silence is an answer too.
[[nodiscard]] ProbeConclusion concluded(const ProbeAnswer& answer, bool is_child);

}  // namespace holdfast::mcp
