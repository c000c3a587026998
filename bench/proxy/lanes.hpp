#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "proxy/child.hpp"
#include "proxy/fleet.hpp"

namespace holdfast::bench {

/// The result of one round of a lane.
struct Round {
    double requests_per_second = 0;
    double cpu_us = 0;  ///< Of the proxy, per request; 0 without one.
    double median_us = 0;
    double p99_us = 0;
};

/// Additional work that runs alongside the load of a lane during its turn.
class Company {
public:
    Company() = default;
    Company(const Company&) = delete;
    Company& operator=(const Company&) = delete;
    virtual ~Company() = default;

    virtual void begin() = 0;
    virtual void end() = 0;
};

/// One proxy under one load.
struct Lane {
    std::string name = {};
    std::shared_ptr<Child> proxy = nullptr;  ///< Null where the agents talk to the backend.
    std::unique_ptr<Fleet> fleet = nullptr;
    std::shared_ptr<Company> company = nullptr;  ///< Null for none.
    std::vector<Round> rounds = {};
};

struct Timing {
    std::size_t rounds = 15;
    std::chrono::milliseconds duration{400};
    /// Time after the load of a round for remaining work; its CPU time counts too.
    std::chrono::milliseconds settle{0};
};

/// Lanes that are compared with each other. They take turns in short rounds, so that other work on
/// the machine affects all of them.
///
/// Thread-safety: none.
class Group final {
public:
    explicit Group(std::string title) : title_(std::move(title)) {}

    void add(std::string name, std::shared_ptr<Child> proxy, const Target& target,
             std::size_t connections);
    void add(Lane lane) { lanes_.push_back(std::move(lane)); }
    /// Runs one warm-up round of each lane, then the measured ones.
    void run(const Timing& timing);
    /// Prints one line per lane: medians, and their ratios to the reference.
    void print(const std::string& reference) const;

    [[nodiscard]] bool has(const std::string& name) const { return find(name) != nullptr; }
    [[nodiscard]] double median(const std::string& name, double Round::* value) const;
    /// Returns the median over the rounds of a value as a multiple of another lane's value in the
    /// same round.
    [[nodiscard]] double ratio(const std::string& name, const std::string& reference,
                               double Round::* value) const;

private:
    [[nodiscard]] const Lane* find(const std::string& name) const;

    std::string title_;
    std::vector<Lane> lanes_;
};

}  // namespace holdfast::bench
