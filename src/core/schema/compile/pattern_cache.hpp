#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <variant>

#include "schema/compile/program.hpp"
#include "schema/limits.hpp"

namespace holdfast::schema {

/// Compiles each pattern of a schema once. A pattern that cannot be run is an answer, not an error:
/// the reason in words.
///
/// Thread-safety: none.
class PatternCache {
public:
    /// An index into the patterns of the program, or why there is none.
    using Outcome = std::variant<std::uint32_t, std::string>;

    PatternCache(Program& program, const CompileLimits& limits)
        : program_(program), limits_(limits) {}

    [[nodiscard]] const Outcome& add(std::string_view pattern);

private:
    [[nodiscard]] Outcome make(std::string_view pattern);

    Program& program_;
    const CompileLimits& limits_;
    std::map<std::string, Outcome, std::less<>> known_;
};

}  // namespace holdfast::schema
