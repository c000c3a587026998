#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "proxy/child.hpp"
#include "proxy/fleet.hpp"

namespace holdfast::bench {

/// A running proxy and its address. Without a process if the program is not installed.
struct Contender {
    std::unique_ptr<Child> child = nullptr;
    std::uint16_t port = 0;
};

/// A server with tools behind the proxies.
struct BackendOptions {
    Era era = Era::modern;
    std::size_t generated_tools = 0;
};

/// Parts of a gateway's config, as written between the braces.
struct GatewayConfig {
    std::string servers = {};   ///< `"name":{...},"name":{...}`
    std::string policies = {};  ///< The same.
    std::string more = {};      ///< Other sections, with a comma behind each: `"admin":false,`
};

/// Returns the port of a URL.
[[nodiscard]] std::uint16_t port_in(const std::string& url);

/// Starts the programs of the benchmark, each with its own configuration in a temporary folder.
/// Proxies run on the first core; the agents, the servers and everything that a proxy starts run on
/// the others. On one core they share it.
///
/// Thread-safety: none.
class Contenders final {
public:
    Contenders();
    Contenders(const Contenders&) = delete;
    Contenders& operator=(const Contenders&) = delete;
    ~Contenders();

    /// Gateways started from now on run this command, followed by `serve`.
    void use_gateway(std::vector<std::string> command) { gateway_ = std::move(command); }
    /// The program that is measured by default.
    [[nodiscard]] std::filesystem::path gateway() const { return gateway_.back(); }

    /// Over HTTP, without sessions.
    [[nodiscard]] Contender backend(const BackendOptions& options);
    [[nodiscard]] Contender haproxy(std::uint16_t backend_port);
    [[nodiscard]] Contender nginx(std::uint16_t backend_port);
    /// In front of this many downstreams s0, s1, …, which are all the same backend.
    [[nodiscard]] Contender holdfast(std::uint16_t backend_port, std::size_t downstreams = 1);
    [[nodiscard]] Contender holdfast_before_child(Era era);
    [[nodiscard]] Contender holdfast_with(const GatewayConfig& config);
    /// Returns the command that starts the same gateway on standard streams.
    [[nodiscard]] std::vector<std::string> holdfast_on_stdio(const GatewayConfig& config);
    /// From npm.
    [[nodiscard]] Contender mcp_proxy();
    [[nodiscard]] Contender supergateway();

    /// A server that handles each call as `script` in this folder says, and writes a line to
    /// `arrivals` for each call: `tests/support/troubled_server`.
    [[nodiscard]] Contender troubled_backend(const std::filesystem::path& folder);
    [[nodiscard]] std::filesystem::path new_folder(const std::string& name);

    [[nodiscard]] const Cores& proxy_cores() const noexcept { return proxy_cores_; }

private:
    [[nodiscard]] std::vector<std::string> holdfast_command(const std::filesystem::path& folder,
                                                            const GatewayConfig& config) const;
    [[nodiscard]] Contender npm(const std::string& name, std::vector<std::string> arguments,
                                std::uint16_t port);
    /// A legacy server on standard streams, on the cores of the servers.
    [[nodiscard]] std::vector<std::string> stdio_command(Era era) const;

    std::filesystem::path build_;
    std::vector<std::string> gateway_;
    std::filesystem::path folder_;
    Cores proxy_cores_;
    Cores other_cores_;
    std::size_t started_ = 0;
};

}  // namespace holdfast::bench
