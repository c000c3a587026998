#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <thread>

#include "proxy/lanes.hpp"

namespace holdfast::bench {

/// What a gateway answers to a GET. Ends the benchmark if it does not.
[[nodiscard]] std::string got_from(std::uint16_t port, const std::string& path);

/// Somebody who has the status page open, and somebody who collects the metrics: while its lane has
/// its turn it follows the events and asks for the metrics and the status each second.
///
/// Thread-safety: none.
class PageReader final : public Company {
public:
    /// Of the gateway's admin side.
    explicit PageReader(std::uint16_t port) : port_(port) {}

    void begin() override;
    void end() override;

private:
    const std::uint16_t port_;
    std::jthread thread_;
};

}  // namespace holdfast::bench
