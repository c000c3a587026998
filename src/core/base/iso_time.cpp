#include "base/iso_time.hpp"

#include <chrono>
#include <string>

namespace holdfast::base {
namespace {

void append_padded(std::string& out, std::int64_t number, std::size_t width) {
    const std::string digits = std::to_string(number);
    out.append(width > digits.size() ? width - digits.size() : 0, '0').append(digits);
}

}  // namespace

std::string iso_time(std::int64_t since_epoch_ms) {
    const std::chrono::sys_time<std::chrono::milliseconds> time{
        std::chrono::milliseconds{since_epoch_ms}};
    const auto day = std::chrono::floor<std::chrono::days>(time);
    const std::chrono::year_month_day date{day};
    const std::chrono::hh_mm_ss clock{time - day};
    std::string text;
    append_padded(text, int{date.year()}, 4);
    append_padded(text += '-', unsigned{date.month()}, 2);
    append_padded(text += '-', unsigned{date.day()}, 2);
    append_padded(text += 'T', clock.hours().count(), 2);
    append_padded(text += ':', clock.minutes().count(), 2);
    append_padded(text += ':', clock.seconds().count(), 2);
    append_padded(text += '.', clock.subseconds().count(), 3);
    return text += 'Z';
}

}  // namespace holdfast::base
