#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <vector>

namespace holdfast::test {

/// The real binary, serving on a free loopback port. It is killed with this.
///
/// Thread-safety: none.
class GatewayProcess final {
public:
    /// `variables` ("NAME=value") are set besides what this process has. Returns when it listens;
    /// if it does not within 20 seconds, `port` is zero.
    GatewayProcess(const std::string& binary, const std::string& config_file,
                   std::vector<std::string> variables);
    GatewayProcess(const GatewayProcess&) = delete;
    GatewayProcess& operator=(const GatewayProcess&) = delete;
    ~GatewayProcess();

    [[nodiscard]] std::uint16_t port() const noexcept { return port_; }

    /// The whole HTTP response to a message, head included; empty if it did not come within five
    /// seconds. `headers` are lines, each with its line break.
    [[nodiscard]] std::string post(const std::string& message, const std::string& headers) const;

    /// Asks it to end and waits until it has: the exit code, or -1 if a signal ended it.
    [[nodiscard]] int stop();

private:
    [[nodiscard]] std::uint16_t announced_port() const;

    pid_t pid_ = -1;
    int errors_ = -1;
    std::uint16_t port_ = 0;
};

}  // namespace holdfast::test
