#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace holdfast::schema {

/// One place where a value does not fit its schema, in words that an agent can act on.
struct Violation {
    std::string instance;         ///< JSON pointer into the value; empty for the whole value.
    std::string keyword;          ///< The keyword that says no.
    std::string schema_location;  ///< Where that keyword is: "#/properties/a/type".
    std::string expected;         ///< What would be right: "integer", "at most 10".
    std::string got;              ///< What was there: "string \"abc\"".
    std::string advice;           ///< How to repair it, or empty: "did you mean \"limit\"?".
};

enum class Verdict : std::uint8_t {
    valid,
    invalid,
    too_complex,  ///< The work exceeded its limit; nothing is known about the value.
};

/// What a validation found.
struct Report {
    Verdict verdict = Verdict::valid;
    std::vector<Violation> violations;  ///< Empty unless the verdict is `invalid`.
    bool truncated = false;             ///< There are more violations than were allowed.

    [[nodiscard]] bool is_valid() const noexcept { return verdict == Verdict::valid; }
};

/// One line: `/limit: expected integer, got string "abc"; did you mean …?`.
[[nodiscard]] std::string to_text(const Violation& violation);

/// One line for each violation, or the sentence that says why there is none.
[[nodiscard]] std::string to_text(const Report& report);

}  // namespace holdfast::schema
