#include "schema/evaluate/number.hpp"

#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <utility>

namespace holdfast::schema {
namespace {

using boost::json::value;

// digits * 10^exponent, without the sign, which its users do not need.
struct Decimal {
    std::uint64_t digits = 0;
    int exponent = 0;
};

Decimal decimal_of(const value& number) {
    if (const auto* const whole = number.if_int64()) {
        const auto bits = static_cast<std::uint64_t>(*whole);
        return {.digits = *whole < 0 ? 0 - bits : bits, .exponent = 0};
    }
    if (const auto* const whole = number.if_uint64()) {
        return {.digits = *whole, .exponent = 0};
    }
    // "d.ddde±dd" with at most 17 digits.
    std::array<char, 32> text{};
    const double magnitude = std::abs(number.get_double());
    const auto written = std::to_chars(text.data(), text.data() + text.size(), magnitude,
                                       std::chars_format::scientific);
    Decimal decimal;
    const char* at = text.data();
    bool is_fraction = false;
    for (; at != written.ptr && *at != 'e'; ++at) {
        if (*at == '.') {
            is_fraction = true;
            continue;
        }
        decimal.digits = decimal.digits * 10 + static_cast<std::uint64_t>(*at - '0');
        decimal.exponent -= is_fraction ? 1 : 0;
    }
    int exponent = 0;
    if (at != written.ptr) {
        at += at[1] == '+' ? 2 : 1;
        std::from_chars(at, written.ptr, exponent);
    }
    decimal.exponent += exponent;
    return decimal;
}

std::uint64_t sum_modulo(std::uint64_t left, std::uint64_t right, std::uint64_t modulus) {
    return left >= modulus - right ? left - (modulus - right) : left + right;
}

std::uint64_t ten_times_modulo(std::uint64_t number, std::uint64_t modulus) {
    const std::uint64_t twice = sum_modulo(number, number, modulus);
    const std::uint64_t four_times = sum_modulo(twice, twice, modulus);
    return sum_modulo(sum_modulo(four_times, four_times, modulus), twice, modulus);
}

std::partial_ordering reversed(std::partial_ordering order) {
    return 0 <=> order;
}

template <class Whole>
std::partial_ordering compare_with_double(Whole left, double right) {
    if (std::isnan(right)) {
        return std::partial_ordering::unordered;
    }
    if (right >= 0x1p64) {
        return std::partial_ordering::less;
    }
    if (right < -0x1p63) {
        return std::partial_ordering::greater;
    }
    // The whole part fits one of the integer types, so nothing is rounded.
    const double floor = std::floor(right);
    const bool has_fraction = right > floor;
    const auto compare = [&](auto whole) -> std::partial_ordering {
        if (std::cmp_less(left, whole)) {
            return std::partial_ordering::less;
        }
        if (std::cmp_greater(left, whole)) {
            return std::partial_ordering::greater;
        }
        return has_fraction ? std::partial_ordering::less : std::partial_ordering::equivalent;
    };
    return floor < 0 ? compare(static_cast<std::int64_t>(floor))
                     : compare(static_cast<std::uint64_t>(floor));
}

template <class Whole>
std::partial_ordering compare_whole(Whole left, const value& right) {
    if (const auto* const fraction = right.if_double()) {
        return compare_with_double(left, *fraction);
    }
    const auto compare = [left](auto whole) -> std::partial_ordering {
        if (std::cmp_equal(left, whole)) {
            return std::partial_ordering::equivalent;
        }
        return std::cmp_less(left, whole) ? std::partial_ordering::less
                                          : std::partial_ordering::greater;
    };
    const auto* const whole = right.if_int64();
    return whole != nullptr ? compare(*whole) : compare(right.get_uint64());
}

}  // namespace

std::partial_ordering compare_numbers(const value& left, const value& right) {
    if (const auto* const whole = left.if_int64()) {
        return compare_whole(*whole, right);
    }
    if (const auto* const whole = left.if_uint64()) {
        return compare_whole(*whole, right);
    }
    if (right.is_double()) {
        return left.get_double() <=> right.get_double();
    }
    return reversed(compare_numbers(right, left));
}

bool is_integer(const value& number) {
    const auto* const fraction = number.if_double();
    return fraction == nullptr || (std::isfinite(*fraction) && std::floor(*fraction) == *fraction);
}

bool is_multiple_of(const value& number, const value& divisor) {
    const auto is_infinite = [](const value& any) {
        return any.is_double() && !std::isfinite(any.get_double());
    };
    if (is_infinite(number) || is_infinite(divisor)) {
        return false;
    }
    const Decimal dividend = decimal_of(number);
    Decimal unit = decimal_of(divisor);
    if (dividend.digits == 0 || unit.digits == 0) {
        return dividend.digits == 0;
    }
    // Scales both to the smaller exponent. A unit larger than the dividend cannot divide it.
    while (unit.exponent > dividend.exponent) {
        if (unit.digits > dividend.digits / 10) {
            return false;
        }
        unit.digits *= 10;
        --unit.exponent;
    }
    std::uint64_t remainder = dividend.digits % unit.digits;
    for (int power = dividend.exponent; power > unit.exponent && remainder != 0; --power) {
        remainder = ten_times_modulo(remainder, unit.digits);
    }
    return remainder == 0;
}

}  // namespace holdfast::schema
