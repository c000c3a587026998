#include "admin/iso_time.hpp"

#include <chrono>

namespace holdfast::admin {
namespace {

std::string digits(std::int64_t number, std::size_t count) {
    std::string text = std::to_string(number);
    text.insert(0, count > text.size() ? count - text.size() : 0, '0');
    return text;
}

}  // namespace

std::string iso_time(std::int64_t ms_since_epoch) {
    using std::chrono::milliseconds;
    using Instant = std::chrono::time_point<std::chrono::system_clock, milliseconds>;
    const Instant instant{milliseconds{ms_since_epoch}};
    const auto day = std::chrono::floor<std::chrono::days>(instant);
    const std::chrono::year_month_day date{day};
    const std::chrono::hh_mm_ss time{instant - day};
    return digits(static_cast<int>(date.year()), 4) + "-" +
           digits(static_cast<unsigned>(date.month()), 2) + "-" +
           digits(static_cast<unsigned>(date.day()), 2) + "T" + digits(time.hours().count(), 2) +
           ":" + digits(time.minutes().count(), 2) + ":" + digits(time.seconds().count(), 2) + "." +
           digits(time.subseconds().count(), 3) + "Z";
}

}  // namespace holdfast::admin
