#pragma once

#include <cstdio>
#include <string>
#include <vector>

namespace holdfast::bench {

/// The required minimum values, and whether all of them are reached.
class Floors final {
public:
    void expect_at_least(const std::string& what, double value, double floor) {
        say(what, value, "at least", floor, value >= floor);
    }
    void expect_at_most(const std::string& what, double value, double ceiling) {
        say(what, value, "at most", ceiling, value <= ceiling);
    }
    [[nodiscard]] bool all_hold() const noexcept { return all_hold_; }
    void print() const { std::printf("\nFloors\n%s", text_.c_str()); }

private:
    void say(const std::string& what, double value, const char* relation, double limit,
             bool holds) {
        std::vector<char> line(200);
        std::snprintf(line.data(), line.size(), "  %-8s %-62s %8.2f  (%s %.2f)\n",
                      holds ? "holds" : "MISSED", what.c_str(), value, relation, limit);
        text_ += line.data();
        all_hold_ = all_hold_ && holds;
    }

    std::string text_;
    bool all_hold_ = true;
};

}  // namespace holdfast::bench
