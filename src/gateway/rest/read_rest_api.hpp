#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "config/credential.hpp"
#include "config/fault_report.hpp"
#include "config/node.hpp"
#include "config/server_config.hpp"
#include "holdfast/resilience/result.hpp"
#include "rest/rest_api.hpp"

namespace holdfast::rest {

/// Why a file cannot be read: a phrase that follows its name.
struct FileFault {
    std::string message;
};

/// The text of a file that a config names; the path is as it is written there.
using FileReader =
    std::function<resilience::Result<std::string, FileFault>(const std::string& path)>;

/// What says how a REST backend is used.
struct RestSource {
    std::string_view file_name = {};  ///< Of the config, for messages.
    /// The entry; its target must be a `RestTarget`.
    const config::ServerConfig& server;
    const config::Node* preset = nullptr;  ///< The section `rest` of its preset; null = none.
};

struct RestOutcome {
    /// The API without the values of its credentials, or why there is none: at least one fault.
    resilience::Result<RestApi, std::vector<config::ConfigFault>> api;
    std::vector<config::Credential> credentials = {};
    std::vector<config::ConfigFault> warnings = {};  ///< There may be some either way.
};

/// Reads an entry of the type `rest` over the section of its preset, key by key; tools of the same
/// name replace each other.
[[nodiscard]] RestOutcome read_rest_api(const RestSource& source, const FileReader& read_file);

}  // namespace holdfast::rest
