#include "admin/request_target.hpp"

#include <algorithm>
#include <charconv>
#include <memory>

namespace holdfast::admin {
namespace {

constexpr int kHexBase = 16;
constexpr std::size_t kCodeBytes = 3;

std::optional<char> coded_byte(std::string_view code) {
    int value = 0;
    const char* const begin = std::to_address(code.begin()) + 1;
    const auto read = std::from_chars(begin, begin + 2, value, kHexBase);
    return read.ec == std::errc{} && read.ptr == begin + 2 ? std::optional{static_cast<char>(value)}
                                                           : std::nullopt;
}

}  // namespace

std::string percent_decoded(std::string_view text) {
    std::string decoded;
    decoded.reserve(text.size());
    while (!text.empty()) {
        const bool is_code = text.front() == '%' && text.size() >= kCodeBytes;
        const auto byte = is_code ? coded_byte(text.substr(0, kCodeBytes)) : std::nullopt;
        decoded += byte.value_or(text.front());
        text.remove_prefix(byte ? kCodeBytes : 1);
    }
    return decoded;
}

std::optional<std::string> query_value(const net::HttpRequest& request, std::string_view key) {
    std::string_view rest =
        request.target.substr(std::min(request.path.size() + 1, request.target.size()));
    while (!rest.empty()) {
        const std::string_view pair = rest.substr(0, rest.find('&'));
        rest.remove_prefix(std::min(pair.size() + 1, rest.size()));
        const std::size_t equals = pair.find('=');
        if (pair.substr(0, equals) == key) {
            std::string value{equals == std::string_view::npos ? "" : pair.substr(equals + 1)};
            std::ranges::replace(value, '+', ' ');
            return percent_decoded(value);
        }
    }
    return std::nullopt;
}

std::size_t query_number(const net::HttpRequest& request, std::string_view key,
                         std::size_t otherwise, std::size_t max) {
    const std::string text = query_value(request, key).value_or("");
    std::size_t number = otherwise;
    const char* const end = std::to_address(text.end());
    const auto read = std::from_chars(std::to_address(text.begin()), end, number);
    return read.ec == std::errc{} && read.ptr == end ? std::min(number, max) : otherwise;
}

}  // namespace holdfast::admin
