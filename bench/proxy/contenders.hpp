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

/// A proxy that runs, and where. Without a process if its program is not installed.
struct Contender {
    std::unique_ptr<Child> child = nullptr;
    std::uint16_t port = 0;
};

/// A server for tools behind the proxies.
struct BackendOptions {
    Era era = Era::modern;
    std::size_t generated_tools = 0;
};

/// Parts of a gateway's config, as they stand there between the braces.
struct GatewayConfig {
    std::string servers = {};   ///< `"name":{...},"name":{...}`
    std::string policies = {};  ///< The same.
    std::string more = {};      ///< Other sections, with a comma behind each: `"admin":false,`
};

/// The port at the end of a url's host.
[[nodiscard]] std::uint16_t port_in(const std::string& url);

/// Starts the programs of the benchmark, each with a configuration of its own in a folder that goes
/// with this. Proxies run on the first core; the agents, the servers and everything that a proxy
/// starts run on the others. With one core they share it.
///
/// Thread-safety: none.
class Contenders final {
public:
    Contenders();
    Contenders(const Contenders&) = delete;
    Contenders& operator=(const Contenders&) = delete;
    ~Contenders();

    /// Gateways that are started from now on run this program: its words in front of `serve`.
    void use_gateway(std::vector<std::string> command) { gateway_ = std::move(command); }
    /// The program that is measured unless another one is chosen.
    [[nodiscard]] std::filesystem::path gateway() const { return gateway_.back(); }

    /// Over HTTP, without sessions.
    [[nodiscard]] Contender backend(const BackendOptions& options);
    [[nodiscard]] Contender haproxy(std::uint16_t backend_port);
    [[nodiscard]] Contender nginx(std::uint16_t backend_port);
    /// In front of so many downstreams called s0, s1, …, which are all the same backend.
    [[nodiscard]] Contender holdfast(std::uint16_t backend_port, std::size_t downstreams = 1);
    [[nodiscard]] Contender holdfast_before_child(Era era);
    [[nodiscard]] Contender holdfast_with(const GatewayConfig& config);
    /// How to start the same for an agent on its standard streams.
    [[nodiscard]] std::vector<std::string> holdfast_on_stdio(const GatewayConfig& config);
    /// From npm.
    [[nodiscard]] Contender mcp_proxy();
    [[nodiscard]] Contender supergateway();

    /// A server that does with each call what is written in `script` of this folder, and writes a
    /// line to `arrivals` there for each: `tests/support/troubled_server`.
    [[nodiscard]] Contender troubled_backend(const std::filesystem::path& folder);
    [[nodiscard]] std::filesystem::path new_folder(const std::string& name);

    [[nodiscard]] const Cores& proxy_cores() const noexcept { return proxy_cores_; }

private:
    [[nodiscard]] std::vector<std::string> holdfast_command(const std::filesystem::path& folder,
                                                            const GatewayConfig& config) const;
    [[nodiscard]] Contender npm(const std::string& name, std::vector<std::string> arguments,
                                std::uint16_t port);
    /// A server of the legacy era over its standard streams, on the cores of the servers.
    [[nodiscard]] std::vector<std::string> stdio_command(Era era) const;

    std::filesystem::path build_;
    std::vector<std::string> gateway_;
    std::filesystem::path folder_;
    Cores proxy_cores_;
    Cores other_cores_;
    std::size_t started_ = 0;
};

}  // namespace holdfast::bench
