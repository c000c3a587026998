#include "runtime/loading/search_config.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "config/object_reader.hpp"
#include "tool_search/model_store.hpp"

namespace holdfast::runtime {
namespace {

using config::Node;
using config::NodeKind;
using config::ObjectReader;
using surface::SurfaceMode;

constexpr std::size_t kMaxTools = 1'000;
/// A server far away takes longer than a model beside us.
constexpr resilience::Duration kServerDeadline = std::chrono::seconds{1};
/// For a batch of tools, which nobody waits for.
constexpr resilience::Duration kBatchTimeout = std::chrono::seconds{30};

constexpr std::array<config::NamedChoice<SurfaceMode>, 4> kModes = {{
    {.name = "all", .choice = SurfaceMode::all},
    {.name = "search", .choice = SurfaceMode::search},
    {.name = "routed", .choice = SurfaceMode::routed},
    {.name = "auto", .choice = SurfaceMode::automatic},
}};

bool has_control_character(const std::string& text) {
    return std::ranges::any_of(
        text, [](char letter) { return static_cast<unsigned char>(letter) < 0x20U; });
}

void read_ladder(ObjectReader& reader, search::FallbackOptions& ladder) {
    reader.read_texts("fallback", ladder.fallback_tools);
    reader.read_count("maxTools", ladder.max_tools, {.min = 1, .max = kMaxTools});
    reader.read_count("minTools", ladder.min_tools, {.min = 0, .max = kMaxTools});
    reader.read_count("candidateFactor", ladder.candidate_factor, {.min = 1, .max = 100});
    reader.read_count("perServer", ladder.max_per_server, {.min = 0, .max = kMaxTools});
    if (ladder.min_tools > ladder.max_tools) {
        const bool is_minimum = reader.object().find("minTools") != nullptr;
        reader.refuse(reader.object(), is_minimum ? "minTools" : "maxTools",
                      "\"minTools\" is " + std::to_string(ladder.min_tools) +
                          " and must not be greater than \"maxTools\", which is " +
                          std::to_string(ladder.max_tools));
    }
}

void read_surface(ObjectReader& reader, surface::SurfaceOptions& surface) {
    if (const auto mode = reader.read_choice<SurfaceMode>("mode", kModes)) {
        surface.mode = *mode;
    }
    reader.read_count("searchAbove", surface.search_above, {.min = 0, .max = 100'000});
    reader.read_texts("pinned", surface.pinned);
    reader.read_count("suggestedNames", surface.suggested_names, {.min = 0, .max = 100});
    read_ladder(reader, surface.ladder);
    reader.refuse_unknown();
}

void read_server_embedder(ObjectReader& reader, SearchConfigOutcome& outcome) {
    tool_search::HttpEmbedderOptions options;
    reader.read_text("url", options.url);
    reader.read_text("model", options.model);
    reader.read_text("key", options.key);
    reader.read_duration("timeout", options.timeout, config::kPositiveDuration);
    std::size_t dimensions = 0;
    reader.read_count("dimensions", dimensions, {.min = 1, .max = 65'536});
    options.dimensions = dimensions > 0 ? std::optional{dimensions} : std::nullopt;
    reader.refuse_unknown();
    if (const auto url = net::parsed_url(options.url); !url) {
        reader.refuse(reader.object(), "url", url.error().message);
    }
    if (options.model.empty()) {
        reader.refuse(reader.object(), "model", "name the model that the server is to use");
    }
    if (has_control_character(options.key)) {
        reader.refuse(reader.object(), "key", "has a character that cannot be sent");
    } else if (!options.key.empty()) {
        outcome.secrets.push_back(options.key);
    }
    outcome.config.deadline = options.timeout;
    outcome.config.embedder = std::move(options);
}

void read_embedder(ObjectReader& reader, SearchConfigOutcome& outcome) {
    const Node* const node = reader.find("embedder");
    if (node == nullptr) {
        return;
    }
    if (node->kind == NodeKind::object) {
        outcome.config.deadline = kServerDeadline;
        ObjectReader server{reader.report(), *node, reader.path_of("embedder")};
        read_server_embedder(server, outcome);
    } else if (node->kind == NodeKind::text && node->text == "none") {
        outcome.config.embedder = NoEmbedder{};
    } else if (node->kind != NodeKind::text || node->text != "builtin") {
        reader.refuse(*node, "embedder", "must be \"builtin\", \"none\" or an object with a url");
    }
}

/// Runs `read` on a section if the config has it and it is an object.
template <class Read>
void with_section(const config::Config& config, std::string_view name, config::FaultReport& report,
                  const Read& read) {
    const Node* const node = config.section(name);
    if (node == nullptr) {
        return;
    }
    if (node->kind != NodeKind::object) {
        report.refuse(node->place, std::string{name} + ": must be an object, not " +
                                       std::string{config::kind_phrase(*node)});
        return;
    }
    ObjectReader reader{report, *node, std::string{name}};
    read(reader);
}

tool_search::LoadedEmbedders opened_server(const tool_search::HttpEmbedderOptions& options) {
    tool_search::HttpEmbedderOptions patient = options;
    patient.timeout = std::max(options.timeout, kBatchTimeout);
    patient.leaves_out_refused = true;
    // A circuit for each: batches that fail must not keep queries from meaning.
    auto for_index =
        tool_search::HttpEmbedder::make(patient, resilience::SharedCircuitBreaker::make());
    auto for_queries =
        tool_search::HttpEmbedder::make(options, resilience::SharedCircuitBreaker::make());
    if (!for_index || !for_queries) {
        return {.problem = "the embedder cannot be used: " +
                           (for_index ? for_queries : for_index).error().message};
    }
    return {.for_index = std::move(*for_index),
            .for_queries = std::move(*for_queries),
            .is_on_this_core = false};
}

}  // namespace

SearchConfigOutcome read_search_config(const config::Config& config,
                                       const policy::PolicyTable& table) {
    SearchConfigOutcome outcome;
    outcome.config.surface.mode = SurfaceMode::automatic;
    config::FaultReport report{config.file_name};
    if (const Node* const preset = table.gateway_section("surface")) {
        ObjectReader reader{report, *preset, "surface"};
        read_surface(reader, outcome.config.surface);
    }
    with_section(config, "surface", report, [&outcome](ObjectReader& reader) {
        read_surface(reader, outcome.config.surface);
    });
    with_section(config, "search", report, [&outcome](ObjectReader& reader) {
        read_embedder(reader, outcome);
        reader.read_duration("deadline", outcome.config.deadline, config::kAnyDuration);
        reader.refuse_unknown();
    });
    outcome.faults = report.take_faults();
    return outcome;
}

tool_search::LoadedEmbedders load_embedders(const EmbedderChoice& choice,
                                            const platform::UserFolders& folders) {
    if (const auto* options = std::get_if<tool_search::HttpEmbedderOptions>(&choice)) {
        return opened_server(*options);
    }
    if (std::holds_alternative<NoEmbedder>(choice)) {
        return {};
    }
    auto model = tool_search::InstalledModel::open(tool_search::model_path(folders.data));
    if (!model) {
        return {.problem = model.error().message};
    }
    const std::shared_ptr<const search::Embedder> encoder{*model, &(*model)->encoder()};
    return {.for_index = encoder, .for_queries = encoder};
}

}  // namespace holdfast::runtime
