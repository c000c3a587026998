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

/// The outcomes of calls: the code of a failure, or an empty text for an answer of the tool.
using Endings = std::map<std::string, std::size_t>;

/// Agents that call a tool at a fixed pace, each after its previous answer, and accept any answer.
///
/// Thread-safety: none.
class PacedCallers final {
public:
    PacedCallers(const Target& target, const Pace& pace);
    PacedCallers(const PacedCallers&) = delete;
    PacedCallers& operator=(const PacedCallers&) = delete;

    /// Makes this many calls, fewer if stopped, and waits for the last answer.
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

/// Runs paced callers alongside a lane during its turn.
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
