#include "cli/output/telemetry_report.hpp"

#include <gtest/gtest.h>

namespace holdfast::cli {
namespace {

constexpr std::int64_t kNow = 1'767'323'045'678;  // 2026-01-02T03:04:05.678Z

telemetry::StoreReport report_of(const std::string& message) {
    telemetry::StoreReport report;
    report.servers.push_back({.server = "code",
                              .calls = 3,
                              .failures = 2,
                              .causes = {{.code = "TIMEOUT",
                                          .count = 2,
                                          .last_at_ms = kNow,
                                          .tool = "read",
                                          .message = message}},
                              .busiest_hour_ms = kNow / 3'600'000 * 3'600'000,
                              .busiest_hour_failures = 2,
                              .last_failure_ms = kNow});
    report.events.push_back(
        {.kind = "circuit", .what = "opened", .name = "code", .count = 1, .last_at_ms = kNow});
    report.events.push_back(
        {.kind = "refusal", .what = "open", .name = "code", .count = 4, .last_at_ms = kNow});
    return report;
}

TEST(TelemetryReportTest, ShowsWhichServersFailWhyAndWhen) {
    EXPECT_EQ(text_of(report_of("no answer"), kNow, LineCut::for_terminal),
              "Since 2026-01-02 03:04:05 UTC\n"
              "code: 2 of 3 calls failed (66.7 %)\n"
              "  2 × TIMEOUT, last 2026-01-02 03:04:05 at read: no answer\n"
              "  most in the hour of 2026-01-02 03:00: 2\n"
              "Circuits that opened:\n"
              "  code  1  last 2026-01-02 03:04:05\n"
              "Calls that safeguards refused:\n"
              "  code  4  open, last 2026-01-02 03:04:05\n");
}

TEST(TelemetryReportTest, LetsNothingReachTheTerminalThatCouldDoSomething) {
    const std::string text =
        text_of(report_of("\x1b[2Jgone\nand more"), kNow, LineCut::for_terminal);

    EXPECT_EQ(text.find('\x1b'), std::string::npos);
    EXPECT_EQ(text.find("and more"), std::string::npos);
}

TEST(TelemetryReportTest, SaysWhenThereIsNothing) {
    EXPECT_EQ(text_of({}, kNow, LineCut::for_terminal),
              "Since 2026-01-02 03:04:05 UTC\nNo calls.\n");
}

TEST(TelemetryReportTest, IsAlsoOneJsonObject) {
    EXPECT_EQ(json_of(report_of("a \"word\""), kNow),
              R"({"since":"2026-01-02T03:04:05.678Z","servers":[{"server":"code","calls":3,)"
              R"("failures":2,"last_failure_at":"2026-01-02T03:04:05.678Z",)"
              R"("busiest_hour":"2026-01-02T03:00:00.000Z","busiest_hour_failures":2,)"
              R"("causes":[{"code":"TIMEOUT","count":2,"last_at":"2026-01-02T03:04:05.678Z",)"
              R"("tool":"read","message":"a \"word\""}]}],"events":[{"kind":"circuit",)"
              R"("what":"opened","name":"code","count":1,"last_at":"2026-01-02T03:04:05.678Z"},)"
              R"({"kind":"refusal","what":"open","name":"code","count":4,)"
              R"("last_at":"2026-01-02T03:04:05.678Z"}]})"
              "\n");
}

}  // namespace
}  // namespace holdfast::cli
