#include "runtime/loading/search_config.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "config/key_table.hpp"
#include "config/object_reader.hpp"
#include "config/value_kinds.hpp"
#include "tool_search/model_store.hpp"

namespace holdfast::config {

template <>
struct Choices<surface::SurfaceMode> {
    static constexpr std::array<NamedChoice<surface::SurfaceMode>, 4> kAll = {{
        {.name = "all", .choice = surface::SurfaceMode::all},
        {.name = "search", .choice = surface::SurfaceMode::search},
        {.name = "routed", .choice = surface::SurfaceMode::routed},
        {.name = "auto", .choice = surface::SurfaceMode::automatic},
    }};
};

}  // namespace holdfast::config

namespace holdfast::runtime {
namespace {

using config::Node;
using config::NodeKind;
using config::ObjectReader;
using surface::SurfaceMode;

constexpr std::size_t kMaxTools = 1'000;
/// A remote server takes longer than the installed model.
constexpr resilience::Duration kServerDeadline = std::chrono::seconds{1};
/// A model that is installed later is used without a restart. An invalid file is read as a whole.
constexpr resilience::Duration kReopenMissing = std::chrono::seconds{5};
constexpr resilience::Duration kReopenInvalid = std::chrono::minutes{1};
/// For a batch of tools, which no query waits for.
constexpr resilience::Duration kBatchTimeout = std::chrono::seconds{30};

bool has_control_character(const std::string& text) {
    return std::ranges::any_of(
        text, [](char letter) { return static_cast<unsigned char>(letter) < 0x20U; });
}

/// The gateway's default is not that of the type.
struct ModeKind {
    static void read(ObjectReader& object, std::string_view name, SurfaceMode& into) {
        config::ChoiceKind<SurfaceMode>::read(object, name, into);
    }
    static Node schema(SurfaceMode /*value*/) {
        return config::ChoiceKind<SurfaceMode>::schema(SurfaceMode::automatic);
    }
};

using search::FallbackOptions;
using surface::SurfaceOptions;

constexpr std::array kSurfaceKeys = {
    config::key<ModeKind, &SurfaceOptions::mode>(
        "mode",
        "`all`: `tools/list` returns every tool. `search`: it returns `find_tools`, `call_tool`, "
        "`describe_tool` and the pinned tools. `routed`: the same, plus the tools found for the "
        "agent's last query. `auto`: `all`, or `search` above `searchAbove` tools"),
    config::key<config::CountKind<0, 100'000>, &SurfaceOptions::search_above>(
        "searchAbove", "Number of tools above which `auto` uses `search`"),
    config::key<config::TextsKind, &SurfaceOptions::pinned>(
        "pinned",
        "Tools that are always listed: patterns for the names that agents see, or for "
        "`server.tool`"),
    config::key<config::AnyDuration, &SurfaceOptions::first_list_wait>(
        "firstListWait",
        "How long after the start a list request may wait for servers that have never listed "
        "anything. A server that kept it waiting is not waited for at the next start"),
    config::key<config::CountKind<0, 100>, &SurfaceOptions::suggested_names>(
        "suggestedNames",
        "Number of available names in the error about an unknown tool, nearest first; 10 with the "
        "preset `ucp`. Without this key only names that the agent may have meant are suggested"),
    config::key<config::TextsKind, &SurfaceOptions::ladder, &FallbackOptions::fallback_tools>(
        "fallback",
        "Tools that are added to an answer that is empty or has fewer than `minTools` tools: the "
        "names that agents see, or `server.tool`"),
    config::key<config::CountKind<1, kMaxTools>, &SurfaceOptions::ladder,
                &FallbackOptions::max_tools>(
        "maxTools", "Maximum number of tools in an answer; 10 with the preset `ucp`"),
    config::key<config::CountKind<0, kMaxTools>, &SurfaceOptions::ladder,
                &FallbackOptions::min_tools>(
        "minTools",
        "Minimum number of tools in an answer, if the catalogue has that many; 1 with the preset "
        "`ucp`. Not above `maxTools`"),
    config::key<config::SizeKind<500, std::size_t{1} << 20U>, &SurfaceOptions::answer_bytes>(
        "answerBytes",
        "Maximum size of an answer of `find_tools` with several tools; 16 kB with the preset "
        "`ucp`"),
    config::key<config::CountKind<1, 100>, &SurfaceOptions::ladder,
                &FallbackOptions::candidate_factor>(
        "candidateFactor",
        "`maxTools` times this number of tools are ranked, so that an available tool can replace "
        "an unavailable one"),
    config::key<config::CountKind<0, kMaxTools>, &SurfaceOptions::ladder,
                &FallbackOptions::max_per_server>(
        "perServer",
        "Maximum number of tools of one server that a search adds to an answer; 0 = no limit"),
};

using tool_search::HttpEmbedderOptions;

struct DimensionsKind {
    using Kind = config::CountKind<1, 65'536>;
    static void read(ObjectReader& object, std::string_view name,
                     std::optional<std::size_t>& into) {
        std::size_t dimensions = 0;
        Kind::read(object, name, dimensions);
        into = dimensions > 0 ? std::optional{dimensions} : into;
    }
    static Node schema(const std::optional<std::size_t>& /*value*/) {
        return config::whole_number_schema(1, 65'536);
    }
};

constexpr std::array kEmbedderKeys = {
    config::key<config::TextKind, &HttpEmbedderOptions::url>(
        "url", "The address, called with `POST {url}/embeddings` like OpenAI's API"),
    config::key<config::TextKind, &HttpEmbedderOptions::model>("model", "The model to use"),
    config::key<config::TextKind, &HttpEmbedderOptions::key>("key",
                                                             "A key, sent as a bearer token"),
    config::key<config::PositiveDuration, &HttpEmbedderOptions::timeout>("timeout",
                                                                         "Timeout of a request"),
    config::key<DimensionsKind, &HttpEmbedderOptions::dimensions>(
        "dimensions", "The number of dimensions to request"),
};

Node embedder_schema() {
    constexpr std::array<std::string_view, 2> kNames = {"builtin", "none"};
    return config::with_default(
        config::any_of({config::choice_schema(kNames),
                        config::object_schema(config::infos_of(kEmbedderKeys))}),
        config::text_node("builtin"));
}

Node deadline_schema() {
    return config::AnyDuration::schema(SearchConfig{}.deadline);
}

constexpr std::array kSearchKeys = {
    config::KeyInfo{.name = "embedder",
                    .description = "The embedder for semantic search: the installed model, `none`, "
                                   "or a server",
                    .schema = embedder_schema},
    config::KeyInfo{.name = "deadline",
                    .description = "Time limit for embedding a query; after that, keyword search "
                                   "answers alone. For a server the default is its `timeout`",
                    .schema = deadline_schema},
};

void read_surface(ObjectReader& reader, SurfaceOptions& options) {
    config::read_object(reader, kSurfaceKeys, options);
    if (reader.object().find("suggestedNames") != nullptr) {
        options.suggests_only_likely = false;
    }
    const FallbackOptions& ladder = options.ladder;
    if (ladder.min_tools > ladder.max_tools) {
        const bool is_minimum = reader.object().find("minTools") != nullptr;
        reader.refuse(reader.object(), is_minimum ? "minTools" : "maxTools",
                      "\"minTools\" is " + std::to_string(ladder.min_tools) +
                          " and must not be greater than \"maxTools\", which is " +
                          std::to_string(ladder.max_tools));
    }
}

void read_server_embedder(ObjectReader& reader, SearchConfigOutcome& outcome) {
    HttpEmbedderOptions options;
    config::read_object(reader, kEmbedderKeys, options);
    if (const auto url = net::parsed_url(options.url); !url) {
        reader.refuse(reader.object(), "url", url.error().message);
    }
    if (options.model.empty()) {
        reader.refuse(reader.object(), "model", "must name the model to use");
    }
    if (has_control_character(options.key)) {
        reader.refuse(reader.object(), "key", "contains a control character");
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
        reader.refuse(*node, "embedder", "must be \"builtin\", \"none\" or an object with \"url\"");
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
    // Separate circuits: failing batches must not stop semantic search for queries.
    auto for_index =
        tool_search::HttpEmbedder::make(patient, resilience::SharedCircuitBreaker::make());
    auto for_queries =
        tool_search::HttpEmbedder::make(options, resilience::SharedCircuitBreaker::make());
    if (!for_index || !for_queries) {
        return {.problem = "the embedder is unavailable: " +
                           (for_index ? for_queries : for_index).error().message};
    }
    return {.for_index = std::move(*for_index),
            .for_queries = std::move(*for_queries),
            .is_on_this_core = false};
}

}  // namespace

Node surface_schema() {
    return config::object_schema(config::infos_of(kSurfaceKeys));
}

Node search_schema() {
    return config::object_schema(kSearchKeys);
}

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
        reader.refuse_unknown(kSearchKeys);
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
    const std::string path = tool_search::model_path(folders.data);
    auto model = tool_search::InstalledModel::open(path);
    if (!model) {
        const auto found = platform::MappedFile::open(path);
        const bool is_there = static_cast<bool>(found);
        return {.problem = model.error().message,
                .brief_problem =
                    is_there ? R"(invalid model; replace it with "holdfast model install --force")"
                             : R"(there is no model; install it with "holdfast model install")",
                .reopen_after = is_there ? kReopenInvalid : kReopenMissing};
    }
    const std::shared_ptr<const search::Embedder> encoder{*model, &(*model)->encoder()};
    return {.for_index = encoder, .for_queries = encoder};
}

}  // namespace holdfast::runtime
