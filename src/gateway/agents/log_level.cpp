#include "agents/log_level.hpp"

#include <algorithm>
#include <array>
#include <string>

#include "jsonrpc/json_text.hpp"
#include "jsonrpc/thread_reader.hpp"

namespace holdfast::agents {
namespace {

constexpr std::array<std::string_view, 8> kLevels{"debug", "info",     "notice", "warning",
                                                  "error", "critical", "alert",  "emergency"};

}  // namespace

std::optional<std::string_view> log_level_named(std::string_view name) noexcept {
    const auto found = std::ranges::find(kLevels, name);
    return found == kLevels.end() ? std::nullopt : std::optional{*found};
}

std::uint8_t log_severity(std::string_view name) noexcept {
    const auto found = std::ranges::find(kLevels, name);
    return found == kLevels.end() ? std::uint8_t{0}
                                  : static_cast<std::uint8_t>(found - kLevels.begin() + 1);
}

std::string_view log_level_of(std::uint8_t severity) noexcept {
    return severity == 0 ? std::string_view{} : kLevels.at(severity - std::size_t{1});
}

bool is_logged(std::string_view params, std::string_view level) {
    if (level.empty()) {
        return true;
    }
    const jsonrpc::PaddedText text{std::string{params}};
    const auto written = jsonrpc::part_reader().read_object(text, text.view()).find("level");
    if (!written || !written->starts_with('"')) {
        return false;
    }
    const auto rank = std::ranges::find(kLevels, jsonrpc::between_quotes(*written));
    return rank != kLevels.end() && rank >= std::ranges::find(kLevels, level);
}

}  // namespace holdfast::agents
