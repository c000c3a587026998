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

/// A circuit by its name in the whole gateway. Everybody who gets the same name gets the same
/// options.
struct ResolvedCircuit {
    std::string name = {};  ///< "shared-search", "code" (of a server), "octo/github:search".
    resilience::CircuitBreakerOptions options = {};

    friend bool operator==(const ResolvedCircuit&, const ResolvedCircuit&) = default;
};

/// What a config says about one tool, or about a server's other methods.
struct ResolvedTool {
    Policy policy = {};
    std::optional<ResolvedCircuit> circuit = std::nullopt;  ///< Nothing = `circuit: "none"`.
    std::optional<bool> read_only = std::nullopt;           ///< Nothing = ask its annotations.
    std::optional<bool> idempotent = std::nullopt;
    /// Whether a rule of the user's file says these two. A tool that calls itself destructive is
    /// believed more than a preset, and less than the user.
    bool is_read_only_of_file = false;
    bool is_idempotent_of_file = false;
    std::vector<std::string> alternatives = {};  ///< `server.tool`
    std::string fallback = {};  ///< `server.tool` to run while the circuit is open.
    /// The place that had the last word on the policy: "policies.slow", "built-in".
    std::string policy_source = {};

    friend bool operator==(const ResolvedTool&, const ResolvedTool&) = default;
};

/// Where a value comes from.
struct ExplainedValue {
    std::string key = {};     ///< "retry.attempts"
    std::string value = {};   ///< As it would be written.
    std::string source = {};  ///< "policies.slow", "preset gitnexus, policies.heavy", "built-in"

    friend bool operator==(const ExplainedValue&, const ExplainedValue&) = default;
};

/// When circuits that nobody uses are dropped.
struct SweepOptions {
    Duration every = std::chrono::minutes{15};
    Duration idle_after = std::chrono::hours{1};

    friend bool operator==(const SweepOptions&, const SweepOptions&) = default;
};

/// All that a config and its presets say about how calls are treated. Each of these stands on the
/// one before, key by key:
///
///   1. the built-in policy, and `limits` for the limits of a downstream
///   2. `policies.default` of the preset of the whole gateway
///   3. `policies.default` of the file
///   4. `policies.default` of the server's preset
///   5. policies of the presets' tool rules, in their order
///   6. the server's `policy`, then its `timeout` and `attemptTimeout`
///   7. policies of the file's tool rules, in their order
///   8. what a single call asks for: `for_call`
///
/// So a tool may have several rules, and the later one wins, for marks and circuits too. A policy
/// comes after those that it extends; that all stand on `default` goes without saying.
///
/// A tool without a circuit of its own uses the one named after its server. Circuits of a preset
/// belong to the server that uses it; those of the file are shared. The figures of a circuit are
/// the server's, or for a shared one the file's, with those of its entry over them: never those of
/// a single tool, whose neighbours use the circuit too. `circuits` in the entry of a server has the
/// last word on the figures of its circuits. A rule whose policy has other figures but
/// which names no circuit gives its tools one for that policy.
///
/// Thread-safety: immutable. Copies are cheap.
class PolicyTable final {
public:
    explicit PolicyTable(std::shared_ptr<const TableParts> parts) : parts_(std::move(parts)) {}

    // The server must be one of the config in each of these.

    /// For a tool by the name that its server gives it.
    [[nodiscard]] ResolvedTool resolve(std::string_view server, std::string_view tool) const;
    /// For what a server is asked beside its tools.
    [[nodiscard]] ResolvedTool resolve_server(std::string_view server) const;
    /// What `resolve` says, and why.
    [[nodiscard]] std::vector<ExplainedValue> explain(std::string_view server,
                                                      std::string_view tool) const;
    /// The server's own, unless these are the built-in ones and a preset has others.
    [[nodiscard]] const config::ReconnectOptions& reconnect(std::string_view server) const;
    /// A section of the server's preset that another module reads, as `rest`; null = none.
    [[nodiscard]] const config::Node* preset_section(std::string_view server,
                                                     std::string_view name) const;

    /// The same for the preset of the whole gateway.
    [[nodiscard]] const config::Node* gateway_section(std::string_view name) const;
    [[nodiscard]] const SweepOptions& sweep() const noexcept;

private:
    std::shared_ptr<const TableParts> parts_;  // shared between the copies
};

}  // namespace holdfast::policy
