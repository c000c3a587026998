#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "config/node.hpp"
#include "config/server_config.hpp"
#include "holdfast/resilience/circuit_breaker_options.hpp"
#include "policy/policy.hpp"

namespace holdfast::policy {

struct TableParts;

/// A circuit with a name that is unique in the gateway. The same name always has the same options.
struct ResolvedCircuit {
    std::string name = {};  ///< "shared-search", "code" (of a server), "octo/github:search".
    resilience::CircuitBreakerOptions options = {};

    friend bool operator==(const ResolvedCircuit&, const ResolvedCircuit&) = default;
};

/// How a config treats one tool, or the other methods of a server.
struct ResolvedTool {
    Policy policy = {};
    std::optional<ResolvedCircuit> circuit = std::nullopt;  ///< Nothing = `circuit: "none"`.
    /// Nothing = the tool's annotations decide.
    std::optional<bool> read_only = std::nullopt;
    std::optional<bool> idempotent = std::nullopt;
    /// Whether a rule of the user's file sets these two. A tool's claim to be destructive overrides
    /// a preset, but not the user's file.
    bool is_read_only_of_file = false;
    bool is_idempotent_of_file = false;
    std::vector<std::string> alternatives = {};  ///< `server.tool`
    std::string fallback = {};  ///< `server.tool` to call while the circuit is open.
    /// The last source of the policy: "policies.slow", "built-in".
    std::string policy_source = {};

    friend bool operator==(const ResolvedTool&, const ResolvedTool&) = default;
};

/// The source of a value.
struct ExplainedValue {
    std::string key = {};     ///< "retry.attempts"
    std::string value = {};   ///< As in a config file.
    std::string source = {};  ///< "policies.slow", "preset gitnexus, policies.heavy", "built-in"

    friend bool operator==(const ExplainedValue&, const ExplainedValue&) = default;
};

/// When unused circuits are removed.
struct SweepOptions {
    Duration every = std::chrono::minutes{15};
    Duration idle_after = std::chrono::hours{1};

    friend bool operator==(const SweepOptions&, const SweepOptions&) = default;
};

/// All rules of a config and its presets for the treatment of calls. Each layer overrides the
/// previous one, key by key:
///
///   1. the built-in policy, and `limits` for the limits of a downstream
///   2. `policies.default` of the gateway's preset
///   3. `policies.default` of the file
///   4. `policies.default` of the server's preset
///   5. policies of the presets' tool rules, in their order
///   6. the server's `policy`, then its `timeout` and `attemptTimeout`
///   7. policies of the file's tool rules, in their order
///   8. settings of a single call: `for_call`
///
/// A tool may match several rules. The last one wins, also for marks and circuits. A policy
/// overrides those that it extends; all extend `default` implicitly.
///
/// A tool without its own circuit uses the one named after its server. Circuits of a preset belong
/// to the server that uses it; those of the file are shared. The figures of a circuit are the
/// server's (the file's for a shared circuit), overridden by the circuit's entry. They never come
/// from a single tool, because other tools use the circuit too. `circuits` in the entry of a server
/// overrides the figures of its circuits. A rule with a policy that has other figures and that
/// names no circuit gives its tools a circuit for that policy.
///
/// Thread-safety: immutable. Copies are cheap.
class PolicyTable final {
public:
    explicit PolicyTable(std::shared_ptr<const TableParts> parts) : parts_(std::move(parts)) {}

    // All of these require a server of the config.

    /// For a tool, by its name at the server.
    [[nodiscard]] ResolvedTool resolve(std::string_view server, std::string_view tool) const;
    /// For all requests to a server except tool calls.
    [[nodiscard]] ResolvedTool resolve_server(std::string_view server) const;
    /// Returns the values of `resolve` with their sources.
    [[nodiscard]] std::vector<ExplainedValue> explain(std::string_view server,
                                                      std::string_view tool) const;
    /// The server's own, unless these are the built-in ones and a preset has others.
    [[nodiscard]] const config::ReconnectOptions& reconnect(std::string_view server) const;
    /// A section of the server's preset that another module reads, such as `rest`; null = none.
    [[nodiscard]] const config::Node* preset_section(std::string_view server,
                                                     std::string_view name) const;

    /// The same for the gateway's preset.
    [[nodiscard]] const config::Node* gateway_section(std::string_view name) const;
    [[nodiscard]] const SweepOptions& sweep() const noexcept;

private:
    std::shared_ptr<const TableParts> parts_;  // shared by copies
};

}  // namespace holdfast::policy
