#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <vector>

#include "support/program.hpp"

namespace holdfast::test {

/// The real binary, serving on a free loopback port. The destructor kills it.
///
/// Thread-safety: none.
class GatewayProcess final {
public:
    /// Adds `variables` ("NAME=value") to the environment of this process, and `arguments` to those
    /// that make it listen. Returns when it listens; if it does not in time, `port` is zero.
    GatewayProcess(const std::string& binary, const std::string& config_file,
                   std::vector<std::string> variables,
                   const std::vector<std::string>& arguments = {});

    [[nodiscard]] std::uint16_t port() const noexcept { return port_; }
    [[nodiscard]] Program& program() noexcept { return program_; }

    /// Returns the whole HTTP response to a message, including its head; empty if it did not arrive
    /// in time. `headers` are lines, each with its line break.
    [[nodiscard]] std::string post(const std::string& message, const std::string& headers) const;

    /// Stops it and waits for its end: the exit code, or minus the signal that ended it.
    [[nodiscard]] int stop();

private:
    Program program_;
    std::uint16_t port_ = 0;
};

}  // namespace holdfast::test
