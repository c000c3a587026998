// A tour of one outage, in virtual time: an agent calls a tool every five seconds, its server hangs
// for a minute, and the policies decide what the agent receives.
//
// Nothing here sleeps or sends. PipelineCall decides what to do next, and this program is the
// shell: it advances the clock instead of waiting, and calls a simulated server instead of a
// socket.

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <iomanip>
#include <iostream>
#include <random>
#include <string>
#include <string_view>
#include <variant>

#include "holdfast/resilience/pipeline.hpp"

namespace holdfast::resilience {
namespace {

using namespace std::chrono_literals;

constexpr TimePoint kStart{0s};
constexpr Duration kAnswerTime = 300ms;
constexpr Duration kHangsFrom = 12s;
constexpr Duration kHangsUntil = 72s;
constexpr Duration kTourEnd = 100s;

double seconds(Duration duration) {
    return std::chrono::duration<double>(duration).count();
}

/// Prints one line of the timeline.
void print(TimePoint at, std::string_view what) {
    std::cout << std::fixed << std::setprecision(1) << std::setw(7) << seconds(at - kStart)
              << " s  " << what << "\n";
}

class Narrator final : public Observer {
public:
    void on_transition(std::string_view name, const CircuitTransition& change) override {
        std::string text{"         circuit \""};
        text.append(name).append("\" ").append(name_of(change.from)).append(" -> ");
        text.append(name_of(change.to)).append(" (").append(name_of(change.cause)).append(")");
        print(change.at, text);
    }
};

/// The server answers quickly, or not at all while it hangs.
struct Server {
    std::uint32_t attempts_seen = 0;

    AttemptEnd serve(TimePoint& now, Deadline deadline) {
        ++attempts_seen;
        const Duration since_start = now - kStart;
        if (since_start >= kHangsFrom && since_start < kHangsUntil) {
            now = deadline.when();  // the shell ends the attempt
            return {.outcome = Outcome::failure, .failure = AttemptFailure{}};
        }
        now += kAnswerTime;
        return {};
    }
};

std::string words_for(const CallVerdict& verdict) {
    if (verdict.ending == CallEnding::answered) {
        return verdict.attempts == 1 ? "answered"
                                     : "answered by attempt " + std::to_string(verdict.attempts);
    }
    if (verdict.ending == CallEnding::refused) {
        const auto left = std::chrono::ceil<std::chrono::seconds>(*verdict.retry_after);
        return "refused at once: try again in " + std::to_string(left.count()) + " s";
    }
    return "timed out after " + std::to_string(verdict.attempts) + " attempts";
}

void run_tour() {
    Narrator narrator;
    CircuitBreaker circuit{{.failure_threshold = 2,
                            .failure_rate = std::nullopt,
                            .open_for = 20s,
                            .open_growth = 1.0,
                            .open_jitter = 0.0,
                            .successes_to_close = 1},
                           {.name = "search", .observer = &narrator}};
    const PipelinePolicy policy{{.timeout = 5s, .attempt_timeout = 2s}};
    std::mt19937_64 generator{1};
    Server server;
    std::uint32_t calls = 0;
    Duration longest_wait = Duration::zero();

    std::cout << "A tool is called every 5 s; its server hangs from 12 s to 72 s.\n\n";
    for (TimePoint next_call = kStart; next_call < kStart + kTourEnd; next_call += 5s) {
        TimePoint now = next_call;
        PipelineCall call{
            policy, {.name = "search", .circuit = &circuit}, {.safe_to_repeat = true}};
        PipelineStep step = call.start(now);
        while (!std::holds_alternative<CallVerdict>(step)) {
            if (const auto* attempt = std::get_if<StartAttempt>(&step)) {
                const AttemptEnd end = server.serve(now, attempt->deadline);
                step = call.on_attempt_end(end, now, generator);
            } else {
                now = std::get<WaitBeforeRetry>(step).until;
                step = call.resume(now);
            }
        }
        ++calls;
        longest_wait = std::max(longest_wait, now - next_call);
        print(now, "call " + std::to_string(calls) + " " + words_for(std::get<CallVerdict>(step)));
    }
    std::cout << "\n"
              << calls << " calls, " << calls << " answers, none later than "
              << seconds(longest_wait) << " s; the hanging server was asked "
              << server.attempts_seen << " times in all.\n";
}

}  // namespace
}  // namespace holdfast::resilience

int main() {
    holdfast::resilience::run_tour();
}
