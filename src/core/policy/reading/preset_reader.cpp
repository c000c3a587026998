#include "policy/reading/preset_reader.hpp"

#include <array>
#include <utility>

#include "config/document.hpp"
#include "config/key_table.hpp"
#include "config/object_reader.hpp"
#include "config/read_reconnect.hpp"
#include "config/value_kinds.hpp"

namespace holdfast::policy {
namespace {

using config::Node;
using config::NodeKind;
using config::ObjectReader;

// Other modules read these.
constexpr std::array<std::string_view, 2> kKeptSections = {"rest", "surface"};

constexpr std::array kSweepKeys = {
    config::key<config::PositiveDuration, &SweepOptions::every>(
        "every", "How often idle circuits are dropped"),
    config::key<config::PositiveDuration, &SweepOptions::idle_after>(
        "idleAfter", "Time without a call after which a circuit is idle"),
};

/// Presets are part of the program: their keys are described only to refuse others.
std::vector<config::KeyInfo> preset_keys() {
    std::vector<config::KeyInfo> keys;
    for (const std::string_view name : {"description", "for", "reconnect", "sweep", "rest",
                                        "surface", "classes", "policies", "circuits", "tools"}) {
        keys.push_back({.name = name, .description = {}, .schema = nullptr});
    }
    return keys;
}

std::optional<SweepOptions> read_sweep(ObjectReader& preset) {
    const Node* object = preset.find_object("sweep");
    if (object == nullptr) {
        return std::nullopt;
    }
    SweepOptions options;
    ObjectReader reader{preset.report(), *object, preset.path_of("sweep")};
    config::read_object(reader, kSweepKeys, options);
    return options;
}

void read_other_keys(ObjectReader& reader, Fragment& fragment) {
    constexpr std::array<config::NamedChoice<bool>, 2> kUses = {{
        {.name = "server", .choice = false},
        {.name = "gateway", .choice = true},
    }};
    std::string description;
    reader.read_text("description", description);
    fragment.is_for_gateway = reader.read_choice<bool>("for", kUses).value_or(false);
    if (reader.object().find("reconnect") != nullptr) {
        fragment.reconnect = config::read_reconnect(reader);
    }
    fragment.sweep = read_sweep(reader);
    for (const std::string_view key : kKeptSections) {
        if (const Node* section = reader.find(key)) {
            fragment.sections.push_back(
                {.key = std::string{key}, .key_place = {}, .value = *section});
        }
    }
    reader.refuse_unknown(preset_keys());
}

}  // namespace

Fragment read_preset(const Preset& preset, const config::Environment& environment,
                     config::FaultReport& report, config::SecretList& secrets) {
    Fragment fragment;
    auto root = config::read_document(preset.text, report);
    if (root && root->kind == NodeKind::object) {
        config::Interpolator interpolator{environment, report, secrets};
        interpolator.expand(*root, "");
        const std::string source = "preset " + std::string{preset.name} + ", ";
        fragment = read_fragment(
            {.report = report, .source = source, .classes = *builtin_classes()},
            [&](std::string_view key) { return std::as_const(*root).find(key); }, nullptr);
        fragment.second_choices = interpolator.second_choices();
        ObjectReader reader{report, *root, ""};
        read_other_keys(reader, fragment);
    } else if (root) {
        report.refuse(root->place, "a preset must be an object");
    }
    fragment.name = preset.name;
    return fragment;
}

}  // namespace holdfast::policy
