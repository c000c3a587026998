#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace holdfast::schema {

/// One part of a value that violates its schema, described for an agent.
struct Violation {
    std::string instance;         ///< JSON pointer into the value; empty for the whole value.
    std::string keyword;          ///< The keyword that failed.
    std::string schema_location;  ///< The position of that keyword: "#/properties/a/type".
    std::string expected;         ///< What the schema expects: "integer", "at most 10".
    std::string got;              ///< What the value has: "string \"abc\"".
    std::string advice;           ///< How to repair it, or empty: "did you mean \"limit\"?".
};

enum class Verdict : std::uint8_t {
    valid,
    invalid,
    too_complex,  ///< The work exceeded its limit; nothing is known about the value.
};

/// The result of a validation.
struct Report {
    Verdict verdict = Verdict::valid;
    std::vector<Violation> violations;  ///< Empty unless the verdict is `invalid`.
    bool truncated = false;             ///< There are more violations than the limit.

    [[nodiscard]] bool is_valid() const noexcept { return verdict == Verdict::valid; }
};

/// Returns one line: `/limit: expected integer, got string "abc"; did you mean …?`.
[[nodiscard]] std::string to_text(const Violation& violation);

/// Returns one line for each violation, or a sentence that says why there is none.
[[nodiscard]] std::string to_text(const Report& report);

}  // namespace holdfast::schema
