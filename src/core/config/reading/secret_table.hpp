#pragma once

#include <functional>
#include <string_view>
#include <vector>

#include "config/object_reader.hpp"
#include "config/secret_list.hpp"
#include "config/server_config.hpp"

namespace holdfast::config {

/// What is wrong with an entry, or an empty text.
using EntryCheck = std::function<std::string_view(std::string_view name, std::string_view value)>;

/// Reads an object of names and texts whose values are secrets: `headers`, `env`, `tokens`. They
/// are never in a message. A number or bool counts as it is written; null is skipped.
[[nodiscard]] std::vector<NamedText> read_secret_table(ObjectReader& owner, std::string_view key,
                                                       const EntryCheck& check);

/// Puts the secrets of a value on the list: whatever is below `headers`, `env`, `tokens` or
/// `token`, whether or not anything reads it. Not what describes an HTTP API and its credentials.
void collect_secrets(SecretList& secrets, const Node& value);

}  // namespace holdfast::config
