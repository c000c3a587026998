// Tools that are small enough to be read at a glance, and do what they say: an agent of the demo
// calls them, and so can a user of the command line. Each takes its arguments as they are
// written, since the gateway has checked them before; a tool that is asked for nonsense all the
// same says so in words, as a tool of a real server would. Nothing is remembered between calls.

#include "cli/demo/demo_tools.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <cstdint>
#include <optional>

#include "base/number_text.hpp"
#include "jsonrpc/members.hpp"

namespace holdfast::cli {
namespace {

DemoAnswer refusal(std::string text) {
    return {.text = std::move(text), .is_error = true};
}

std::string member_text(std::string_view arguments, std::string_view key) {
    return arguments.empty() ? std::string{} : jsonrpc::text_member_of(arguments, key);
}

/// As a unit is one of a kind: its size in the smallest of them, and where its zero lies.
struct Unit {
    std::string_view name = {};
    std::string_view kind = {};
    double factor = 1;
    double offset = 0;
};

constexpr std::array<Unit, 15> kUnits = {{
    {.name = "m", .kind = "length"},
    {.name = "km", .kind = "length", .factor = 1000},
    {.name = "cm", .kind = "length", .factor = 0.01},
    {.name = "mi", .kind = "length", .factor = 1609.344},
    {.name = "ft", .kind = "length", .factor = 0.3048},
    {.name = "in", .kind = "length", .factor = 0.0254},
    {.name = "kg", .kind = "mass"},
    {.name = "g", .kind = "mass", .factor = 0.001},
    {.name = "lb", .kind = "mass", .factor = 0.45359237},
    {.name = "oz", .kind = "mass", .factor = 0.028349523125},
    {.name = "l", .kind = "volume"},
    {.name = "gal", .kind = "volume", .factor = 3.785411784},
    {.name = "K", .kind = "temperature"},
    {.name = "C", .kind = "temperature", .offset = 273.15},
    {.name = "F", .kind = "temperature", .factor = 5.0 / 9.0, .offset = 459.67 * 5.0 / 9.0},
}};

std::string amount_text(double number) {
    constexpr int kDigits = 6;
    return base::number_text(number, std::chars_format::general, kDigits);
}

DemoAnswer convert_units(std::string_view arguments) {
    const std::string written = arguments.empty() ? "" : jsonrpc::member_of(arguments, "value");
    double value = 0;
    const auto read = std::from_chars(written.data(), written.data() + written.size(), value);
    const std::string from_name = member_text(arguments, "from");
    const std::string to_name = member_text(arguments, "to");
    const auto* from = std::ranges::find(kUnits, from_name, &Unit::name);
    const auto* to = std::ranges::find(kUnits, to_name, &Unit::name);
    if (read.ec != std::errc{}) {
        return refusal("value must be a number.");
    }
    if (from == kUnits.end() || to == kUnits.end()) {
        return refusal("There is no unit \"" + (from == kUnits.end() ? from_name : to_name) +
                       "\"; try m, km, cm, mi, ft, in, kg, g, lb, oz, l, gal, K, C or F.");
    }
    if (from->kind != to->kind) {
        return refusal(from_name + " is a " + std::string{from->kind} + ", " + to_name + " a " +
                       std::string{to->kind} + ".");
    }
    const double result = (value * from->factor + from->offset - to->offset) / to->factor;
    return {.text =
                amount_text(value) + " " + from_name + " = " + amount_text(result) + " " + to_name};
}

/// `2026-07-28`; nothing if there is no such day.
std::optional<std::chrono::sys_days> day_of(std::string_view text) {
    constexpr std::size_t kDateBytes = 10;
    std::array<int, 3> parts{};
    constexpr std::array<std::size_t, 3> kBegins{0, 5, 8};
    constexpr std::array<std::size_t, 3> kLengths{4, 2, 2};
    if (text.size() != kDateBytes || text[4] != '-' || text[7] != '-') {
        return std::nullopt;
    }
    for (std::size_t part = 0; part < parts.size(); ++part) {
        const char* begin = text.begin() + kBegins.at(part);
        const char* end = begin + kLengths.at(part);
        if (std::from_chars(begin, end, parts.at(part)).ptr != end || parts.at(part) < 0) {
            return std::nullopt;
        }
    }
    const std::chrono::year_month_day day{std::chrono::year{parts[0]},
                                          std::chrono::month{static_cast<unsigned>(parts[1])},
                                          std::chrono::day{static_cast<unsigned>(parts[2])}};
    return day.ok() ? std::optional{std::chrono::sys_days{day}} : std::nullopt;
}

DemoAnswer days_between(std::string_view arguments) {
    const auto from = day_of(member_text(arguments, "from"));
    const auto to = day_of(member_text(arguments, "to"));
    if (!from || !to) {
        return refusal("Dates are written like 2026-07-28.");
    }
    const auto days = (*to - *from).count();
    return {.text = std::to_string(days) + (days == 1 || days == -1 ? " day" : " days")};
}

DemoAnswer word_count(std::string_view arguments) {
    const std::string text = member_text(arguments, "text");
    std::size_t words = 0;
    bool is_in_word = false;
    for (const char one : text) {
        const bool is_space = one == ' ' || (one >= '\t' && one <= '\r');
        words += !is_space && !is_in_word ? 1 : 0;
        is_in_word = !is_space;
    }
    return {.text = std::to_string(words) + (words == 1 ? " word" : " words")};
}

struct Airport {
    std::string_view city = {};
    std::string_view answer = {};
};

constexpr std::array<Airport, 8> kAirports = {{
    {.city = "amsterdam", .answer = "AMS, Schiphol"},
    {.city = "berlin", .answer = "BER, Berlin Brandenburg"},
    {.city = "lisbon", .answer = "LIS, Humberto Delgado"},
    {.city = "nairobi", .answer = "NBO, Jomo Kenyatta"},
    {.city = "oslo", .answer = "OSL, Gardermoen"},
    {.city = "santiago", .answer = "SCL, Arturo Merino Benitez"},
    {.city = "sydney", .answer = "SYD, Kingsford Smith"},
    {.city = "tokyo", .answer = "HND, Haneda"},
}};

DemoAnswer find_airport(std::string_view arguments) {
    std::string city = member_text(arguments, "city");
    std::ranges::transform(city, city.begin(), [](char one) {
        return one >= 'A' && one <= 'Z' ? static_cast<char>(one - 'A' + 'a') : one;
    });
    const auto* found = std::ranges::find(kAirports, city, &Airport::city);
    return found == kAirports.end()
               ? refusal("No airport is known there; try Berlin, Lisbon, Oslo or Tokyo.")
               : DemoAnswer{.text = std::string{found->answer}};
}

/// The same seat for the same flight: nothing is remembered.
DemoAnswer book_seat(std::string_view arguments) {
    const std::string flight = member_text(arguments, "flight");
    if (flight.empty()) {
        return refusal("flight must not be empty.");
    }
    constexpr std::uint32_t kRows = 30;
    constexpr std::string_view kLetters = "ABCDEF";
    std::uint32_t sum = 0;
    for (const char one : flight) {
        sum = sum * 31 + static_cast<unsigned char>(one);
    }
    return {.text = "Seat " + std::to_string(1 + sum % kRows) +
                    kLetters[sum / kRows % kLetters.size()] + " is booked on " + flight + "."};
}

constexpr std::array<DemoTool, 3> kSteadyTools = {{
    {.name = "convert_units",
     .definition =
         R"({"name":"convert_units","description":"Converts a length, mass, volume or temperature from one unit to another.","inputSchema":{"type":"object","properties":{"value":{"type":"number"},"from":{"type":"string","description":"such as km, lb, gal, C"},"to":{"type":"string"}},"required":["value","from","to"]},"annotations":{"readOnlyHint":true}})",
     .run = convert_units},
    {.name = "days_between",
     .definition =
         R"({"name":"days_between","description":"Counts the days from one date to another.","inputSchema":{"type":"object","properties":{"from":{"type":"string","description":"such as 2026-07-28"},"to":{"type":"string"}},"required":["from","to"]},"annotations":{"readOnlyHint":true}})",
     .run = days_between},
    {.name = "word_count",
     .definition =
         R"({"name":"word_count","description":"Counts the words of a text.","inputSchema":{"type":"object","properties":{"text":{"type":"string"}},"required":["text"]},"annotations":{"readOnlyHint":true}})",
     .run = word_count},
}};

constexpr std::array<DemoTool, 2> kFlakyTools = {{
    {.name = "find_airport",
     .definition =
         R"({"name":"find_airport","description":"Finds the airport of a city.","inputSchema":{"type":"object","properties":{"city":{"type":"string"}},"required":["city"]},"annotations":{"readOnlyHint":true}})",
     .run = find_airport},
    {.name = "book_seat",
     .definition =
         R"({"name":"book_seat","description":"Books a seat on a flight.","inputSchema":{"type":"object","properties":{"flight":{"type":"string"}},"required":["flight"]},"annotations":{"readOnlyHint":false,"destructiveHint":false}})",
     .run = book_seat},
}};

}  // namespace

std::span<const DemoTool> steady_demo_tools() noexcept {
    return kSteadyTools;
}

std::span<const DemoTool> flaky_demo_tools() noexcept {
    return kFlakyTools;
}

}  // namespace holdfast::cli
