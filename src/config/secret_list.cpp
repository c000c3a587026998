#include "config/secret_list.hpp"

#include <algorithm>
#include <array>

namespace holdfast::config {

void SecretList::add(std::string_view value) {
    if (value.size() >= kMinSecretBytes) {
        values_.emplace(value);
    }
}

void SecretList::add_header_value(std::string_view value) {
    add(value);
    const std::size_t space = value.find(' ');
    if (space != std::string_view::npos) {
        add(value.substr(space + 1));
    }
}

bool is_secret_name(std::string_view name) {
    constexpr std::array<std::string_view, 9> kParts = {
        "token", "key", "secret", "passw", "passphrase", "auth", "credential", "cookie", "bearer"};
    std::string lower{name};
    std::ranges::transform(lower, lower.begin(), [](char one) {
        return one >= 'A' && one <= 'Z' ? static_cast<char>(one - 'A' + 'a') : one;
    });
    const bool is_pat =
        lower == "pat" || lower.ends_with("_pat") || lower.find("_pat_") < lower.size();
    return is_pat || std::ranges::any_of(kParts, [&lower](std::string_view part) {
               return lower.find(part) != std::string::npos;
           });
}

}  // namespace holdfast::config
