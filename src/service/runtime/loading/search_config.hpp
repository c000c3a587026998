#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "config/config.hpp"
#include "config/fault_report.hpp"
#include "holdfast/resilience/time.hpp"
#include "platform/user_folders.hpp"
#include "policy/policy_table.hpp"
#include "surface/surface_options.hpp"
#include "tool_search/http_embedder.hpp"
#include "tool_search/loaded_embedders.hpp"

namespace holdfast::runtime {

/// The source of embeddings: the user's installed model, none, or a server.
struct BuiltInModel {};
struct NoEmbedder {};
using EmbedderChoice = std::variant<BuiltInModel, NoEmbedder, tool_search::HttpEmbedderOptions>;

/// The sections `surface` and `search`.
struct SearchConfig {
    surface::SurfaceOptions surface = {};
    EmbedderChoice embedder = BuiltInModel{};
    resilience::Duration deadline = std::chrono::milliseconds{30};  ///< For embedding a query.
};

struct SearchConfigOutcome {
    SearchConfig config = {};
    std::vector<std::string> secrets = {};
    std::vector<config::ConfigFault> faults = {};  ///< With any fault the config is rejected.
};

/// Reads both sections. Keys of `surface` override those of the gateway's preset.
[[nodiscard]] SearchConfigOutcome read_search_config(const config::Config& config,
                                                     const policy::PolicyTable& table);

/// The JSON Schemas of the two sections.
[[nodiscard]] config::Node surface_schema();
[[nodiscard]] config::Node search_schema();

/// Loads the chosen embedder. Slow: a model is read as a whole.
[[nodiscard]] tool_search::LoadedEmbedders load_embedders(const EmbedderChoice& choice,
                                                          const platform::UserFolders& folders);

}  // namespace holdfast::runtime
