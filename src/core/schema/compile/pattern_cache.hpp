#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <variant>

#include "schema/compile/program.hpp"
#include "schema/limits.hpp"

namespace holdfast::schema {

/// Compiles each pattern of a schema once. A pattern that cannot be used is not an error: the
/// outcome then has the reason.
///
/// Thread-safety: none.
class PatternCache {
public:
    /// An index into the program's patterns, or the reason why there is none.
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
