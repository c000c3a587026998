#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "proxy/http_agent.hpp"
#include "proxy/lanes.hpp"

namespace holdfast::bench {

struct Pace {
    std::size_t callers = 16;
    std::chrono::milliseconds interval{100};  ///< Between two calls of a caller, at the least.
};

/// How calls ended: with an answer of the tool under an empty text, or with the code of a failure.
using Endings = std::map<std::string, std::size_t>;

/// Agents that call a tool at a measured pace, each when it has the last answer, and take any
/// answer.
///
/// Thread-safety: none.
class PacedCallers final {
public:
    PacedCallers(const Target& target, const Pace& pace);
    PacedCallers(const PacedCallers&) = delete;
    PacedCallers& operator=(const PacedCallers&) = delete;

    /// Makes so many calls, fewer if told to stop, and waits for the last answer.
    [[nodiscard]] Endings run(std::size_t calls, const std::stop_token& stop = {});

private:
    struct Caller {
        std::unique_ptr<HttpAgent> agent = nullptr;
        std::chrono::steady_clock::time_point due = {};
        bool is_asking = false;
    };

    [[nodiscard]] std::size_t take_answers(std::chrono::milliseconds wait, Endings& endings);

    std::chrono::milliseconds interval_;
    std::vector<Caller> callers_;
};

/// The same as company for a lane: as long as the lane has its turn.
///
/// Thread-safety: none.
class PacedCompany final : public Company {
public:
    PacedCompany(const Target& target, const Pace& pace) : callers_(target, pace) {}

    void begin() override;
    void end() override;
    [[nodiscard]] const Endings& endings() const noexcept { return endings_; }

private:
    PacedCallers callers_;
    Endings endings_;
    std::jthread thread_;  // uses the callers and the endings from `begin` to `end`
};

}  // namespace holdfast::bench
