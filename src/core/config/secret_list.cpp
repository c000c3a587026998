#include "config/secret_list.hpp"

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

}  // namespace holdfast::config
