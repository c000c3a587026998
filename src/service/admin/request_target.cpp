#include "admin/request_target.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <memory>

#include "base/printable.hpp"
#include "base/uri.hpp"

namespace holdfast::admin {
namespace {

constexpr std::array<std::string_view, 4> kNumberKeys = {"limit", "offset", "after", "minutes"};
constexpr std::size_t kMaxQuotedBytes = 40;

std::optional<std::size_t> parsed_number(const std::string& text) {
    std::size_t number = 0;
    const char* const end = std::to_address(text.end());
    const auto read = std::from_chars(std::to_address(text.begin()), end, number);
    return read.ec == std::errc{} && read.ptr == end ? std::optional{number} : std::nullopt;
}

}  // namespace

std::optional<std::string> query_value(const net::HttpRequest& request, std::string_view key) {
    const auto coded = base::query_value(request.target, key);
    if (!coded) {
        return std::nullopt;
    }
    std::string value{*coded};
    std::ranges::replace(value, '+', ' ');
    return base::percent_decoded(value);
}

std::size_t query_number(const net::HttpRequest& request, std::string_view key,
                         std::size_t otherwise, std::size_t max) {
    const auto text = query_value(request, key);
    const auto number = text ? parsed_number(*text) : std::nullopt;
    return number ? std::min(*number, max) : otherwise;
}

std::optional<std::string> invalid_number(const net::HttpRequest& request) {
    for (const std::string_view key : kNumberKeys) {
        if (const auto text = query_value(request, key); text && !parsed_number(*text)) {
            return std::string{key} + " must be a whole number, not \"" +
                   base::shown_line(*text, kMaxQuotedBytes) + "\".";
        }
    }
    return std::nullopt;
}

}  // namespace holdfast::admin
