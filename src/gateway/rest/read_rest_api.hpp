#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "config/credential.hpp"
#include "config/fault_report.hpp"
#include "config/key_info.hpp"
#include "config/node.hpp"
#include "config/server_config.hpp"
#include "holdfast/resilience/result.hpp"
#include "rest/rest_api.hpp"

namespace holdfast::rest {

/// Why a file cannot be read, as a phrase that follows its name.
struct FileFault {
    std::string message;
};

/// Returns the text of a file that the config names; `path` is as written in the config.
using FileReader =
    std::function<resilience::Result<std::string, FileFault>(const std::string& path)>;

/// The parts of the config that describe a REST backend.
struct RestSource {
    std::string_view file_name = {};  ///< Of the config; used in messages.
    /// The server's entry; its target must be a `RestTarget`.
    const config::ServerConfig& server;
    const config::Node* preset = nullptr;  ///< The section `rest` of its preset; may be null.
};

struct RestOutcome {
    /// The API without the values of its credentials, or at least one fault.
    resilience::Result<RestApi, std::vector<config::ConfigFault>> api;
    std::vector<config::Credential> credentials = {};
    std::vector<config::ConfigFault> warnings = {};  ///< May be present with or without faults.
};

/// Reads an entry of type `rest` on top of the section of its preset, key by key. A tool replaces
/// an earlier one with the same name.
[[nodiscard]] RestOutcome read_rest_api(const RestSource& source, const FileReader& read_file);

/// The keys of an entry of the type `rest`.
[[nodiscard]] std::vector<config::KeyInfo> rest_keys();

}  // namespace holdfast::rest
