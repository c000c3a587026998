#include "telemetry/telemetry_config.hpp"

#include <array>

#include "config/key_table.hpp"
#include "config/object_reader.hpp"
#include "config/value_kinds.hpp"

namespace holdfast::telemetry {
namespace {

constexpr config::Range<resilience::Duration> kKeep = {.min = std::chrono::minutes{1},
                                                       .max = std::chrono::hours{24 * 3'650}};

struct KeepKind {
    static void read(config::ObjectReader& object, std::string_view name,
                     resilience::Duration& into) {
        object.read_duration(name, into, kKeep);
    }
    static config::Node schema(resilience::Duration value) {
        return config::with_default(config::duration_schema(kKeep),
                                    config::text_node(config::duration_text(value)));
    }
};

constexpr std::array kTelemetryKeys = {
    config::key<config::FlagKind, &TelemetryConfig::stores>(
        "store",
        "`false`: count only, store nothing on disk; with `\"admin\": false` nothing is counted "
        "either"),
    config::key<config::TextKind, &TelemetryConfig::path>(
        "path",
        "The file; a relative path starts at the folder of the config. Default: "
        "`$XDG_DATA_HOME/holdfast/telemetry.db` (`~/.local/share/…`)"),
    config::key<config::ShareKind, &TelemetryConfig::sample>(
        "sample", "Share of the successful calls that is stored: 0 none, 1 all"),
    config::key<KeepKind, &TelemetryConfig::keep>(
        "keep", "How long rows are stored, from 1m to ten years (87600h)"),
    config::key<config::SizeKind<config::kMegabyte, config::kMegabyte * config::kMegabyte>,
                &TelemetryConfig::max_size_bytes>(
        "maxSize", "Maximum size; beyond it the oldest rows are deleted"),
    config::key<config::FlagKind, &TelemetryConfig::keeps_query_text>(
        "queryText", "Store search queries as text instead of a hash"),
};

}  // namespace

config::Node telemetry_schema() {
    return config::object_schema(config::infos_of(kTelemetryKeys));
}

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
    config::read_object(reader, kTelemetryKeys, result);
    return result;
}

}  // namespace holdfast::telemetry
