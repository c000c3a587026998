#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "proxy/child.hpp"
#include "proxy/fleet.hpp"

namespace holdfast::bench {

/// What one round of a lane showed.
struct Round {
    double requests_per_second = 0;
    double cpu_us = 0;  ///< Of the proxy, per request; 0 without one.
    double median_us = 0;
    double p99_us = 0;
};

/// What goes on beside the load of a lane while it has its turn.
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
    /// After the load of a round, for work that it leaves behind; its CPU time counts too.
    std::chrono::milliseconds settle{0};
};

/// Lanes that are compared with each other. They take turns in short rounds, so that whatever else
/// the machine does meets all of them.
///
/// Thread-safety: none.
class Group final {
public:
    explicit Group(std::string title) : title_(std::move(title)) {}

    void add(std::string name, std::shared_ptr<Child> proxy, const Target& target,
             std::size_t connections);
    void add(Lane lane) { lanes_.push_back(std::move(lane)); }
    /// One round of each that does not count, then the others.
    void run(const Timing& timing);
    /// One line a lane: medians, and how they compare to those of the reference.
    void print(const std::string& reference) const;

    [[nodiscard]] bool has(const std::string& name) const { return find(name) != nullptr; }
    [[nodiscard]] double median(const std::string& name, double Round::* value) const;
    /// The median over the rounds of what a value is as a multiple of another lane's in the same
    /// round.
    [[nodiscard]] double ratio(const std::string& name, const std::string& reference,
                               double Round::* value) const;

private:
    [[nodiscard]] const Lane* find(const std::string& name) const;

    std::string title_;
    std::vector<Lane> lanes_;
};

}  // namespace holdfast::bench
