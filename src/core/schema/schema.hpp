#pragma once

#include <map>
#include <memory>
#include <span>
#include <string>

#include <boost/json/value.hpp>

#include "holdfast/resilience/result.hpp"
#include "schema/compile_error.hpp"
#include "schema/limits.hpp"
#include "schema/violation.hpp"

namespace holdfast::schema {

struct Program;

/// Documents that references may lead to, by URI without a fragment. A reference is unresolved if
/// its target is not here, in the schema itself or in the meta-schemas of 2020-12; nothing is
/// fetched.
using DocumentTable = std::map<std::string, boost::json::value, std::less<>>;

struct CompileOptions {
    CompileLimits limits{};
    const DocumentTable* documents = nullptr;  ///< Used during compile() only.
};

/// A keyword of the schema that is not checked.
struct SkippedKeyword {
    std::string location;  ///< "#/properties/a/pattern"
    std::string reason;    ///< "look-ahead and look-behind are not supported"
};

/// A compiled JSON Schema 2020-12. It owns a copy of what it needs, so the schema's JSON and the
/// document table need not outlive compile(). Copies share the compiled form. `format` and
/// `content…` are annotations and never make a value invalid.
///
/// Thread-safety: const operations may run at the same time on any number of threads.
class Schema {
public:
    /// Checks a value. Allocates nothing for a valid value, unless the schema has
    /// `unevaluatedItems`, `unevaluatedProperties` or `uniqueItems`.
    [[nodiscard]] Report validate(const boost::json::value& value,
                                  const ValidateLimits& limits = {}) const;

    /// The keywords of the schema that are not checked.
    [[nodiscard]] std::span<const SkippedKeyword> skipped() const noexcept;

    /// The compiled form, for the other parts of this module.
    [[nodiscard]] const Program& program() const noexcept { return *program_; }

private:
    friend resilience::Result<Schema, CompileError> compile(const boost::json::value& schema,
                                                            const CompileOptions& options);

    explicit Schema(std::shared_ptr<const Program> program) noexcept;

    std::shared_ptr<const Program> program_;  // shared by copies; never changes
};

/// Compiles a schema: an object or a boolean. Accepts the forms of draft 7 that 2020-12 renamed:
/// `definitions`, `dependencies`, `items` as a list, `$id` as an anchor.
[[nodiscard]] resilience::Result<Schema, CompileError> compile(const boost::json::value& schema,
                                                               const CompileOptions& options = {});

}  // namespace holdfast::schema
