#include "net/http_message.hpp"

#include <algorithm>

#include "base/letter_case.hpp"

namespace holdfast::net {

std::optional<std::string_view> HttpHeaders::find_unknown(std::string_view name) const noexcept {
    for (const HttpHeader& line : lines_) {
        if (base::equals_ignoring_case(line.name, name)) {
            return line.value;
        }
    }
    return std::nullopt;
}

std::size_t HttpHeaders::count(std::string_view name) const noexcept {
    return static_cast<std::size_t>(std::ranges::count_if(lines_, [&](const HttpHeader& line) {
        return base::equals_ignoring_case(line.name, name);
    }));
}

}  // namespace holdfast::net
