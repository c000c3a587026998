#include "admin/request_target.hpp"

#include <algorithm>
#include <charconv>
#include <memory>

#include "base/uri.hpp"

namespace holdfast::admin {

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
    const std::string text = query_value(request, key).value_or("");
    std::size_t number = otherwise;
    const char* const end = std::to_address(text.end());
    const auto read = std::from_chars(std::to_address(text.begin()), end, number);
    return read.ec == std::errc{} && read.ptr == end ? std::min(number, max) : otherwise;
}

}  // namespace holdfast::admin
