#include "telemetry/telemetry_config.hpp"

#include <gtest/gtest.h>

#include "config/document.hpp"

namespace holdfast::telemetry {
namespace {

struct Read {
    telemetry::TelemetryConfig config = {};
    std::string faults = {};
};

Read read(std::string_view text) {
    config::FaultReport report{"file"};
    const auto node = config::read_document(text, report);
    Read result;
    result.config = telemetry::read_telemetry_config(node ? &*node : nullptr, report);
    for (const config::ConfigFault& fault : report.faults()) {
        result.faults += fault.text() + "\n";
    }
    return result;
}

TEST(TelemetryConfigTest, StoresASampleForTwoWeeksByDefault) {
    config::FaultReport report{"file"};
    const telemetry::TelemetryConfig config = telemetry::read_telemetry_config(nullptr, report);

    EXPECT_TRUE(config.stores);
    EXPECT_EQ(config.sample, 0.01);
    EXPECT_EQ(config.keep, std::chrono::hours{336});
    EXPECT_EQ(config.max_size_bytes, 200U * 1'024 * 1'024);
    EXPECT_FALSE(config.keeps_query_text);
    EXPECT_EQ(read("{}").config, config);
}

TEST(TelemetryConfigTest, ReadsEveryKey) {
    const Read result = read(R"({"store": false, "path": "a/b.db", "sample": 1, "keep": "48h",
                                 "maxSize": "5MB", "queryText": true})");

    EXPECT_EQ(result.faults, "");
    EXPECT_EQ(result.config, (telemetry::TelemetryConfig{.stores = false,
                                                         .path = "a/b.db",
                                                         .sample = 1,
                                                         .keep = std::chrono::hours{48},
                                                         .max_size_bytes = 5U * 1'024 * 1'024,
                                                         .keeps_query_text = true}));
}

TEST(TelemetryConfigTest, SuggestsTheNearestKey) {
    EXPECT_EQ(read(R"({"sampel": 1})").faults,
              "file:1:2: telemetry.sampel: unknown key; the nearest is "
              "\"sample\"\n");
}

TEST(TelemetryConfigTest, RejectsValuesOutOfRange) {
    EXPECT_NE(read(R"({"sample": 1.5})").faults, "");
    EXPECT_NE(read(R"({"keep": "1s"})").faults, "");
    EXPECT_NE(read(R"({"maxSize": "1kB"})").faults, "");
    EXPECT_NE(read(R"({"store": "perhaps"})").faults, "");
    EXPECT_EQ(read("[]").faults, "file:1:1: telemetry: must be an object, not a list\n");
}

}  // namespace
}  // namespace holdfast::telemetry
