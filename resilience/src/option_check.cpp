#include "holdfast/resilience/detail/option_check.hpp"

#include <array>
#include <charconv>
#include <utility>

namespace holdfast::resilience::detail {
namespace {

std::string number_text(double value) {
    std::array<char, 32> digits{};
    const auto written = std::to_chars(digits.data(), digits.data() + digits.size(), value);
    return {digits.data(), written.ptr};
}

}  // namespace

OptionCheck& OptionCheck::at_least(std::string_view option, std::uint64_t value,
                                   std::uint64_t least) {
    if (value < least) {
        complain(option,
                 "must be at least " + std::to_string(least) + ", got " + std::to_string(value));
    }
    return *this;
}

OptionCheck& OptionCheck::at_most(std::string_view option, std::uint64_t value,
                                  std::uint64_t most) {
    if (value > most) {
        complain(option,
                 "must be at most " + std::to_string(most) + ", got " + std::to_string(value));
    }
    return *this;
}

OptionCheck& OptionCheck::positive(std::string_view option, Duration value) {
    if (value <= Duration::zero()) {
        complain(option, "must be longer than zero, got " + duration_text(value));
    }
    return *this;
}

OptionCheck& OptionCheck::not_negative(std::string_view option, Duration value) {
    if (value < Duration::zero()) {
        complain(option, "must not be negative, got " + duration_text(value));
    }
    return *this;
}

OptionCheck& OptionCheck::within(std::string_view option, double value, double low, double high) {
    if (!(value >= low && value <= high)) {
        complain(option, "must be from " + number_text(low) + " to " + number_text(high) +
                             ", got " + number_text(value));
    }
    return *this;
}

OptionCheck& OptionCheck::above(std::string_view option, double value, double low, double high) {
    if (!(value > low && value <= high)) {
        complain(option, "must be above " + number_text(low) + " and at most " + number_text(high) +
                             ", got " + number_text(value));
    }
    return *this;
}

OptionCheck& OptionCheck::not_below(std::string_view option, Duration value,
                                    std::string_view floor_option, Duration floor) {
    if (value < floor) {
        complain(option, "must not be below " + policy_ + "." + std::string{floor_option} + " (" +
                             duration_text(floor) + "), got " + duration_text(value));
    }
    return *this;
}

OptionCheck& OptionCheck::expect(bool holds, std::string_view sentence) {
    if (!holds && !complaint_) {
        complaint_ = Error{Errc::invalid_options, policy_ + "." + std::string{sentence}};
    }
    return *this;
}

void OptionCheck::complain(std::string_view option, const std::string& rest) {
    expect(false, std::string{option} + " " + rest);
}

std::string duration_text(Duration duration) {
    using namespace std::chrono;
    const auto count = duration_cast<nanoseconds>(duration).count();
    constexpr std::array<std::pair<std::int64_t, std::string_view>, 5> kUnits{{
        {60'000'000'000, "m"},
        {1'000'000'000, "s"},
        {1'000'000, "ms"},
        {1'000, "us"},
        {1, "ns"},
    }};
    if (count == 0) {
        return "0s";
    }
    for (const auto& [size, unit] : kUnits) {
        if (count % size == 0) {
            return std::to_string(count / size) + std::string{unit};
        }
    }
    return std::to_string(count) + "ns";
}

}  // namespace holdfast::resilience::detail
