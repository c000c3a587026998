#include "net/http_message.hpp"

#include <algorithm>

#include "net/http/wire/http_text.hpp"

namespace holdfast::net {

std::optional<std::string_view> HttpHeaders::find(std::string_view name) const noexcept {
    for (const HttpHeader& line : lines_) {
        if (is_same_name(line.name, name)) {
            return line.value;
        }
    }
    return std::nullopt;
}

std::size_t HttpHeaders::count(std::string_view name) const noexcept {
    return static_cast<std::size_t>(std::ranges::count_if(
        lines_, [&](const HttpHeader& line) { return is_same_name(line.name, name); }));
}

}  // namespace holdfast::net
