#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "config/fault_report.hpp"
#include "config/interpolation.hpp"
#include "config/limits.hpp"
#include "config/node.hpp"
#include "config/server_config.hpp"

namespace holdfast::config {

/// Which users of this machine may connect without a token.
enum class LocalRule : std::uint8_t { same_user, any, none, listed };

/// Which web pages may connect, besides those of `agents.origins`.
enum class PageRule : std::uint8_t {
    listed,    ///< None.
    loopback,  ///< Those of this machine, if the listener is on loopback.
};

struct LocalUsers {
    LocalRule rule = LocalRule::same_user;
    std::vector<std::string> names = {};  ///< `user:NAME` and `group:NAME`, if they are listed.

    friend bool operator==(const LocalUsers&, const LocalUsers&) = default;
};

/// The section `agents`: which agents may connect, and from where.
struct AgentsConfig {
    std::vector<NamedText> tokens = {};     ///< Secret; by the name of the principal.
    std::vector<std::string> origins = {};  ///< Of web pages that may connect.
    std::vector<std::string> hosts = {};    ///< Names under which clients address the gateway.
    LocalUsers local = {};
    PageRule pages = PageRule::listed;
    bool allows_insecure_http = false;  ///< Tokens may go over the network without TLS.
    bool has_sse = false;               ///< Whether the old HTTP+SSE transport is served.

    friend bool operator==(const AgentsConfig&, const AgentsConfig&) = default;
};

/// Whether agents see a tool as `server__tool`.
enum class PrefixRule : std::uint8_t {
    automatic,  ///< If the config has more than one server.
    always,
    never,
};

/// The section `catalogue`.
struct CatalogueConfig {
    Duration withdraw_after = std::chrono::seconds{30};
    Duration debounce = std::chrono::milliseconds{50};
    std::size_t page_size = 1'000;

    friend bool operator==(const CatalogueConfig&, const CatalogueConfig&) = default;
};

/// The section `serverDefaults`: what applies to servers without an entry of their own.
struct ServerDefaults {
    Duration start_timeout = std::chrono::minutes{5};  ///< Of programs.
    std::size_t parallel_starts = 4;                   ///< First starts of programs.

    friend bool operator==(const ServerDefaults&, const ServerDefaults&) = default;
};

/// A server that cannot be used because of something outside the file: a variable, or a document
/// that it names. The other servers are not affected.
struct SkippedServer {
    std::string name = {};
    Place place = {};        ///< Of the name in the file.
    ChosenName preset = {};  ///< Other parts of the file may name its circuits and classes.
    std::vector<ConfigFault> faults = {};  ///< At least one.

    [[nodiscard]] static SkippedServer of(const ServerConfig& server,
                                          std::vector<ConfigFault> faults);
    /// All faults in one line. Contains no secret.
    [[nodiscard]] std::string reason() const;
};

/// A valid config.
///
/// Thread-safety: that of a plain value; const operations may run at the same time.
struct Config {
    std::string file_name = {};  ///< For messages about `sections`.
    bool needs_trust = false;    ///< The file was found in the current folder; nobody named it.
    std::vector<ServerConfig> servers = {};   ///< In the order of the file.
    std::vector<SkippedServer> skipped = {};  ///< None of `servers`.
    AgentsConfig agents = {};
    PrefixRule name_prefix = PrefixRule::automatic;
    ServerDefaults server_defaults = {};
    Limits limits = {};
    CatalogueConfig catalogue = {};
    Duration ask_timeout = std::chrono::minutes{5};  ///< For an answer of the agent's user.
    /// Sections that other modules read: `policies`, `classes`, `circuits`, `tools`, `surface`,
    /// `admin`, `preset`, `telemetry`, `search`. Variables are filled in.
    std::vector<Member> sections = {};
    /// Texts that must not be shown anywhere, sorted.
    std::vector<std::string> secrets = {};
    /// Variables that supplied a value as the default of another one.
    std::vector<SecondChoice> second_choices = {};

    /// One of `sections`; null when the file does not have it.
    [[nodiscard]] const Node* section(std::string_view name) const noexcept;
};

}  // namespace holdfast::config
