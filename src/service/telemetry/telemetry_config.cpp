#include "telemetry/telemetry_config.hpp"

#include "config/object_reader.hpp"

namespace holdfast::telemetry {
namespace {

constexpr config::Range<resilience::Duration> kKeep = {.min = std::chrono::minutes{1},
                                                       .max = std::chrono::hours{24 * 3'650}};
constexpr config::Range<std::size_t> kSize = {.min = config::kMegabyte,
                                              .max = config::kMegabyte * config::kMegabyte};

}  // namespace

TelemetryConfig read_telemetry_config(const config::Node* section, config::FaultReport& report) {
    TelemetryConfig result;
    if (section == nullptr) {
        return result;
    }
    if (section->kind != config::NodeKind::object) {
        report.refuse(section->place, "telemetry: must be an object, not " +
                                          std::string{config::kind_phrase(*section)});
        return result;
    }
    config::ObjectReader reader{report, *section, "telemetry"};
    reader.read_bool("store", result.stores);
    reader.read_text("path", result.path);
    reader.read_number("sample", result.sample, {.min = 0, .max = 1});
    reader.read_duration("keep", result.keep, kKeep);
    reader.read_bytes("maxSize", result.max_size_bytes, kSize);
    reader.read_bool("queryText", result.keeps_query_text);
    reader.refuse_unknown();
    return result;
}

}  // namespace holdfast::telemetry
