#include "config/quantity.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <system_error>

#include "base/letter_case.hpp"

namespace holdfast::config {
namespace {

constexpr std::array<DurationUnit, 4> kDurationUnits = {{
    {.name = "h", .size = std::chrono::hours{1}},
    {.name = "m", .size = std::chrono::minutes{1}},
    {.name = "s", .size = std::chrono::seconds{1}},
    {.name = "ms", .size = std::chrono::milliseconds{1}},
}};
constexpr Duration kLongest = std::chrono::hours{24} * 3'653;

constexpr std::size_t kKilo = 1'024;
// The names that are printed come first.
constexpr std::array<ByteUnit, 8> kByteUnits = {{
    {.name = "GB", .size_bytes = kKilo * kKilo * kKilo},
    {.name = "MB", .size_bytes = kKilo * kKilo},
    {.name = "kB", .size_bytes = kKilo},
    {.name = "B", .size_bytes = 1},
    {.name = "GiB", .size_bytes = kKilo * kKilo * kKilo},
    {.name = "MiB", .size_bytes = kKilo * kKilo},
    {.name = "KiB", .size_bytes = kKilo},
    {.name = "KB", .size_bytes = kKilo},
}};
constexpr double kMostBytes = 1e6 * 1'073'741'824.0;

struct Amount {
    double number = 0;
    std::string_view unit;
};

/// Splits "1.5s"; the number has no sign and no exponent.
std::optional<Amount> parsed_amount(std::string_view text) {
    const std::size_t digits = std::min(text.find_first_not_of("0123456789."), text.size());
    const std::string_view number = text.substr(0, digits);
    const bool is_number = !number.empty() && number.front() != '.' && number.back() != '.';
    const auto value = is_number ? parsed_number(number) : std::nullopt;
    if (!value) {
        return std::nullopt;
    }
    return Amount{.number = *value, .unit = text.substr(digits)};
}

std::optional<Duration> duration_of(const std::optional<Amount>& amount) {
    if (!amount) {
        return std::nullopt;
    }
    const auto unit = std::ranges::find(kDurationUnits, amount->unit, &DurationUnit::name);
    if (unit == kDurationUnits.end()) {
        return std::nullopt;
    }
    const double ticks = amount->number * static_cast<double>(unit->size.count());
    if (ticks > static_cast<double>(kLongest.count())) {
        return std::nullopt;
    }
    return Duration{std::llround(ticks)};
}

struct FlagWord {
    std::string_view word;
    bool value;
};
constexpr std::array<FlagWord, 8> kFlagWords = {{
    {.word = "true", .value = true},
    {.word = "false", .value = false},
    {.word = "1", .value = true},
    {.word = "0", .value = false},
    {.word = "yes", .value = true},
    {.word = "no", .value = false},
    {.word = "on", .value = true},
    {.word = "off", .value = false},
}};

}  // namespace

std::span<const DurationUnit> duration_units() {
    return kDurationUnits;
}

std::span<const ByteUnit> byte_units() {
    return kByteUnits;
}

std::optional<double> parsed_number(std::string_view text) {
    double value = 0;
    const auto read = std::from_chars(text.data(), text.data() + text.size(), value);
    const bool is_whole = read.ec == std::errc{} && read.ptr == text.data() + text.size();
    return is_whole && std::isfinite(value) ? std::optional{value} : std::nullopt;
}

std::optional<Duration> parsed_duration(std::string_view text) {
    return duration_of(parsed_amount(text));
}

std::optional<Duration> parsed_variable_duration(std::string_view text) {
    auto amount = parsed_amount(text);
    if (amount && amount->unit.empty()) {
        amount->unit = "s";
    }
    return duration_of(amount);
}

std::optional<bool> parsed_flag(std::string_view text) {
    const auto found = std::ranges::find_if(
        kFlagWords, [&](const FlagWord& flag) { return base::lower_case(text) == flag.word; });
    return found == kFlagWords.end() ? std::nullopt : std::optional{found->value};
}

std::string duration_text(Duration duration) {
    for (const DurationUnit& unit : kDurationUnits) {
        if (duration != Duration::zero() && duration % unit.size == Duration::zero()) {
            return std::to_string(duration / unit.size).append(unit.name);
        }
    }
    return std::to_string(duration / kDurationUnits.back().size) + "ms";
}

std::optional<std::size_t> parsed_byte_size(std::string_view text) {
    const auto amount = parsed_amount(text);
    if (!amount) {
        return std::nullopt;
    }
    const std::string_view name = amount->unit.empty() ? "B" : amount->unit;
    const auto unit = std::ranges::find(kByteUnits, name, &ByteUnit::name);
    if (unit == kByteUnits.end()) {
        return std::nullopt;
    }
    const double size_bytes = amount->number * static_cast<double>(unit->size_bytes);
    if (size_bytes > kMostBytes || size_bytes != std::floor(size_bytes)) {
        return std::nullopt;
    }
    return static_cast<std::size_t>(size_bytes);
}

std::string byte_size_text(std::size_t size_bytes) {
    for (const ByteUnit& unit : kByteUnits) {
        if (size_bytes != 0 && size_bytes % unit.size_bytes == 0) {
            return std::to_string(size_bytes / unit.size_bytes).append(unit.name);
        }
    }
    return "0B";
}

}  // namespace holdfast::config
