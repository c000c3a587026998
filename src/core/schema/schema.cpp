#include "schema/schema.hpp"

#include <utility>

#include "schema/compile/compiler.hpp"
#include "schema/compile/program.hpp"
#include "schema/evaluate/evaluator.hpp"

namespace holdfast::schema {

Schema::Schema(std::shared_ptr<const Program> program) noexcept : program_(std::move(program)) {}

Report Schema::validate(const boost::json::value& value, const ValidateLimits& limits) const {
    // Most values are valid, so the first run stops at the first fault and builds no texts.
    Report report;
    report.verdict = Evaluator{*program_, limits}.run(kRootNode, value);
    if (report.verdict == Verdict::invalid) {
        ViolationList list{*program_, limits, report};
        report.verdict = Evaluator{*program_, limits, &list}.run(kRootNode, value);
        if (report.verdict == Verdict::too_complex) {
            // The value is known to be invalid; only the search for further faults was cut short.
            report.verdict = report.violations.empty() ? Verdict::too_complex : Verdict::invalid;
            report.truncated = true;
        }
    }
    return report;
}

std::span<const SkippedKeyword> Schema::skipped() const noexcept {
    return program_->skipped;
}

resilience::Result<Schema, CompileError> compile(const boost::json::value& schema,
                                                 const CompileOptions& options) {
    auto program = std::make_shared<Program>();
    if (auto error = compile_into(*program, schema, options)) {
        return std::move(*error);
    }
    return Schema{std::move(program)};
}

}  // namespace holdfast::schema
