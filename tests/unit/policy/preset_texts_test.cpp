// The exact texts that the presets promise to agents. The golden file is written from the
// description of the presets; it is never updated from the program.

#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "policy/classify.hpp"
#include "policy/text_template.hpp"
#include "support/golden.hpp"
#include "tests/unit/policy/table_reading.hpp"

namespace holdfast::policy {
namespace {

/// The text of a failure of the tool `T`, with these values.
struct PresetCase {
    std::string_view preset;
    DegradeCase failure;
    std::string_view error_class = "";
};

std::string text_for(const PresetCase& row) {
    // "ucp" is for the whole gateway.
    const Policy policy = row.preset == "ucp"
                              ? ucp_table().resolve("s", "T").policy
                              : table_with_preset(std::string{row.preset}).resolve("s", "T").policy;
    DegradeCase failure = row.failure;
    if (!row.error_class.empty()) {
        failure.error_class = find_class(*policy.classes, row.error_class);
    }
    const std::string_view uncertain =
        failure.may_have_effect ? std::string_view{policy.degrade.uncertain} : "";
    return filled(degrade_text(policy.degrade, failure),
                  Values{{.name = "seconds", .value = "12"},
                         {.name = "hint", .value = policy.circuit.hint},
                         {.name = "circuit", .value = "C"},
                         {.name = "server", .value = "X"},
                         {.name = "tool", .value = "T"},
                         {.name = "attemptCount", .value = "3 attempts"},
                         {.name = "lastError", .value = "no answer within 30 s"},
                         {.name = "status", .value = "422"},
                         {.name = "detail", .value = "what"},
                         {.name = "uncertain", .value = uncertain}});
}

TEST(PresetTextsTest, AreExactlyAsPromised) {
    using enum FailureCode;
    std::string text;
    for (const PresetCase& row : {
             PresetCase{"gitnexus", {.code = circuit_open}},
             PresetCase{"octocode", {.code = circuit_open}},
             PresetCase{"commontrace", {.code = circuit_open, .is_read = true}},
             PresetCase{"commontrace", {.code = circuit_open}},
             PresetCase{"commontrace", {.code = timeout, .is_read = true}, "timeout"},
             PresetCase{"commontrace", {.code = timeout}, "timeout"},
             PresetCase{"commontrace", {.code = timeout, .may_have_effect = true}, "timeout"},
             PresetCase{"commontrace", {.code = downstream_error, .is_read = true}, "clientError"},
             PresetCase{"commontrace", {.code = malformed_response, .is_read = true}, "malformed"},
             PresetCase{"commontrace", {.code = malformed_response}, "malformed"},
             PresetCase{
                 "commontrace", {.code = malformed_response, .may_have_effect = true}, "malformed"},
             PresetCase{"ucp", {.code = circuit_open}},
             PresetCase{"ucp", {.code = retry_exhausted}, "timeout"},
         }) {
        text.append(row.preset).append(": ").append(text_for(row)).append("\n");
    }

    test::expect_golden("preset_texts", text);
}

}  // namespace
}  // namespace holdfast::policy
