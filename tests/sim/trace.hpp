#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <iostream>
#include <string>
#include <string_view>
#include <vector>

#include "sim/simulated_loop.hpp"

namespace holdfast::sim {

/// A hash of all messages in a world: equal seeds give equal hashes. With HOLDFAST_TRACE in the
/// environment every line is printed, too.
class Trace final {
public:
    explicit Trace(const SimulatedLoop& loop) : loop_(loop), start_(loop.now()) {}

    void note(std::string_view who, std::string_view what, std::string_view text) {
        const auto time =
            std::chrono::duration_cast<std::chrono::microseconds>(loop_.now() - start_);
        add(std::to_string(time.count()));
        add(who);
        add(what);
        add(text);
        if (is_printed_) {
            std::cerr << time.count() << ' ' << who << ' ' << what << ' ' << text << '\n';
        }
    }
    [[nodiscard]] std::uint64_t hash() const { return hash_; }

private:
    void add(std::string_view text) {
        hash_ = (hash_ ^ std::hash<std::string_view>{}(text)) * 1'099'511'628'211U;
    }

    const SimulatedLoop& loop_;
    const TimePoint start_;
    const bool is_printed_ = std::getenv("HOLDFAST_TRACE") != nullptr;
    std::uint64_t hash_ = 14'695'981'039'346'656'037U;
};

/// The problems found in a world.
class Complaints final {
public:
    explicit Complaints(Trace& trace) : trace_(trace) {}

    void add(std::string words) {
        trace_.note("world", "COMPLAINS", words);
        if (all_.size() < kMaxComplaints) {
            all_.push_back(std::move(words));
        }
    }
    [[nodiscard]] const std::vector<std::string>& all() const { return all_; }

private:
    static constexpr std::size_t kMaxComplaints = 20;

    Trace& trace_;
    std::vector<std::string> all_;
};

}  // namespace holdfast::sim
