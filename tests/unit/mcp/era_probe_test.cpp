#include "mcp/era_probe.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace holdfast::mcp {
namespace {

using Kind = ProbeAnswer::Kind;

TEST(EraProbeTest, ConcludesFromEveryKindOfAnswer) {
    struct Row {
        const char* what;
        ProbeAnswer answer;
        bool is_child;
        ProbeVerdict verdict;
    };
    const std::vector<Row> rows = {
        {"versions in common",
         {.kind = Kind::result, .versions = {"2026-07-28"}},
         false,
         ProbeVerdict::modern},
        {"an empty result, as some old servers give to anything",
         {.kind = Kind::result},
         false,
         ProbeVerdict::legacy},
        {"only future versions",
         {.kind = Kind::result, .versions = {"2027-01-01"}},
         false,
         ProbeVerdict::incompatible},
        {"refused, but speaks it",
         {.kind = Kind::rpc_error, .http_status = 400, .code = -32022, .versions = {"2026-07-28"}},
         false,
         ProbeVerdict::modern},
        {"refused, and speaks only others",
         {.kind = Kind::rpc_error, .code = -32022, .versions = {"2027-01-01"}},
         true,
         ProbeVerdict::incompatible},
        {"method not found",
         {.kind = Kind::rpc_error, .http_status = 200, .code = -32601},
         false,
         ProbeVerdict::legacy},
        {"any other code", {.kind = Kind::rpc_error, .code = -32000}, true, ProbeVerdict::legacy},
        {"400 without a body",
         {.kind = Kind::bare_status, .http_status = 400},
         false,
         ProbeVerdict::legacy},
        {"405", {.kind = Kind::bare_status, .http_status = 405}, false, ProbeVerdict::legacy},
        {"401", {.kind = Kind::bare_status, .http_status = 401}, false, ProbeVerdict::unauthorized},
        {"403 with an error",
         {.kind = Kind::rpc_error, .http_status = 403, .code = -32000},
         false,
         ProbeVerdict::unauthorized},
        {"503", {.kind = Kind::bare_status, .http_status = 503}, false, ProbeVerdict::unavailable},
        {"502 with an error",
         {.kind = Kind::rpc_error, .http_status = 502, .code = -32603},
         false,
         ProbeVerdict::unavailable},
        {"silence over HTTP", {.kind = Kind::silence}, false, ProbeVerdict::unavailable},
        {"silence of a child", {.kind = Kind::silence}, true, ProbeVerdict::legacy},
        {"connection dropped", {.kind = Kind::closed}, false, ProbeVerdict::unavailable},
        {"child exited", {.kind = Kind::closed}, true, ProbeVerdict::restart},
    };
    for (const Row& row : rows) {
        SCOPED_TRACE(row.what);
        const ProbeConclusion conclusion = concluded(row.answer, row.is_child);
        EXPECT_EQ(conclusion.verdict, row.verdict);
        EXPECT_EQ(conclusion.version.has_value(), row.verdict == ProbeVerdict::modern);
    }
}

}  // namespace
}  // namespace holdfast::mcp
