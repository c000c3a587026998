#include "policy/reading/preset_reader.hpp"

#include <array>
#include <utility>

#include "config/document.hpp"
#include "config/object_reader.hpp"

namespace holdfast::policy {
namespace {

using config::Node;
using config::NodeKind;
using config::ObjectReader;

// Other modules read these.
constexpr std::array<std::string_view, 2> kKeptSections = {"rest", "surface"};
constexpr std::array<std::string_view, 4> kOwnSections = {"classes", "policies", "circuits",
                                                          "tools"};

std::optional<config::ReconnectOptions> read_reconnect(ObjectReader& preset) {
    const Node* object = preset.find_object("reconnect");
    if (object == nullptr) {
        return std::nullopt;
    }
    config::ReconnectOptions options;
    ObjectReader reader{preset.report(), *object, preset.path_of("reconnect")};
    reader.read_duration("delay", options.delay, config::kPositiveDuration);
    reader.read_number("multiplier", options.multiplier, {.min = 1, .max = 100});
    reader.read_duration("maxDelay", options.max_delay, config::kPositiveDuration);
    reader.read_number("jitter", options.jitter, {.min = 0, .max = 1});
    reader.read_count("attempts", options.attempts, {.min = 1, .max = 1'000'000});
    reader.refuse_unknown();
    return options;
}

std::optional<SweepOptions> read_sweep(ObjectReader& preset) {
    const Node* object = preset.find_object("sweep");
    if (object == nullptr) {
        return std::nullopt;
    }
    SweepOptions options;
    ObjectReader reader{preset.report(), *object, preset.path_of("sweep")};
    reader.read_duration("every", options.every, config::kPositiveDuration);
    reader.read_duration("idleAfter", options.idle_after, config::kPositiveDuration);
    reader.refuse_unknown();
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
    fragment.reconnect = read_reconnect(reader);
    fragment.sweep = read_sweep(reader);
    for (const std::string_view key : kKeptSections) {
        if (const Node* section = reader.find(key)) {
            fragment.sections.push_back(
                {.key = std::string{key}, .key_place = {}, .value = *section});
        }
    }
    for (const std::string_view key : kOwnSections) {
        std::ignore = reader.find(key);  // marks the key as known
    }
    reader.refuse_unknown();
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
