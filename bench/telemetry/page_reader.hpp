#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <thread>

#include "proxy/lanes.hpp"

namespace holdfast::bench {

/// Returns the gateway's answer to a GET. Ends the benchmark if there is no answer.
[[nodiscard]] std::string got_from(std::uint16_t port, const std::string& path);

/// Simulates an open status page and a metrics collector: during the turn of its lane it follows
/// the events and requests the metrics and the status every second.
///
/// Thread-safety: none.
class PageReader final : public Company {
public:
    /// `port` is that of the gateway's admin listener.
    explicit PageReader(std::uint16_t port) : port_(port) {}

    void begin() override;
    void end() override;

private:
    const std::uint16_t port_;
    std::jthread thread_;
};

}  // namespace holdfast::bench
