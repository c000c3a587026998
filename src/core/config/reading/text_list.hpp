#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "config/object_reader.hpp"

namespace holdfast::config {

/// What is wrong with a text, or an empty text; see value_checks.hpp.
using TextCheck = std::string_view (*)(std::string_view);

/// Reads a list of texts, and reports each that does not pass the check.
void read_checked_texts(ObjectReader& owner, std::string_view key, std::vector<std::string>& into,
                        TextCheck check);

}  // namespace holdfast::config
