#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <vector>

#include "support/program.hpp"

namespace holdfast::test {

/// The real binary, serving on a free loopback port. It is killed with this.
///
/// Thread-safety: none.
class GatewayProcess final {
public:
    /// `variables` ("NAME=value") are set besides what this process has; `arguments` are added to
    /// those that make it listen. Returns when it listens; if it does not in time, `port` is zero.
    GatewayProcess(const std::string& binary, const std::string& config_file,
                   std::vector<std::string> variables,
                   const std::vector<std::string>& arguments = {});

    [[nodiscard]] std::uint16_t port() const noexcept { return port_; }
    [[nodiscard]] Program& program() noexcept { return program_; }

    /// The whole HTTP response to a message, head included; empty if it did not come in time.
    /// `headers` are lines, each with its line break.
    [[nodiscard]] std::string post(const std::string& message, const std::string& headers) const;

    /// Asks it to end and waits until it has: the exit code, or minus the signal that ended it.
    [[nodiscard]] int stop();

private:
    Program program_;
    std::uint16_t port_ = 0;
};

}  // namespace holdfast::test
