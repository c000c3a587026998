#pragma once

#include <cstdint>
#include <string>

namespace holdfast::schema {

enum class CompileErrc : std::uint8_t {
    malformed,               ///< A keyword has a value that it cannot have.
    unresolved_reference,    ///< A reference leads nowhere, or to a document that was not given.
    unsupported_vocabulary,  ///< The meta-schema requires a vocabulary that is not known here.
    limit_reached,           ///< The schema is larger than `CompileLimits` allow.
};

/// Why a schema did not compile.
struct CompileError {
    CompileErrc code = CompileErrc::malformed;
    std::string location;  ///< "#/properties/a/type"; the document's URI stands first if remote.
    std::string message;   ///< Safe to show; names what was found.

    friend bool operator==(const CompileError&, const CompileError&) = default;
};

}  // namespace holdfast::schema
