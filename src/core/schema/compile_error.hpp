#pragma once

#include <cstdint>
#include <string>

namespace holdfast::schema {

enum class CompileErrc : std::uint8_t {
    malformed,  ///< A keyword has an invalid value.
    /// A reference cannot be resolved, or needs a document that is not in the table.
    unresolved_reference,
    unsupported_vocabulary,  ///< The meta-schema requires an unknown vocabulary.
    limit_reached,           ///< The schema exceeds `CompileLimits`.
};

/// Why a schema did not compile.
struct CompileError {
    CompileErrc code = CompileErrc::malformed;
    /// "#/properties/a/type", after the document's URI if it is another one.
    std::string location;
    std::string message;  ///< Safe to show; names what was found.

    friend bool operator==(const CompileError&, const CompileError&) = default;
};

}  // namespace holdfast::schema
