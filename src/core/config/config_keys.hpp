#pragma once

#include <cstddef>
#include <vector>

#include "config/key_info.hpp"

namespace holdfast::config {

/// A shorter token of an agent or an operator is refused: it could be guessed.
inline constexpr std::size_t kMinTokenBytes = 16;

// The keys of the objects that this module reads. Those of other sections are with their readers.

[[nodiscard]] std::vector<KeyInfo> agents_keys();
[[nodiscard]] std::vector<KeyInfo> names_keys();
[[nodiscard]] std::vector<KeyInfo> server_defaults_keys();
[[nodiscard]] std::vector<KeyInfo> limits_keys();
[[nodiscard]] std::vector<KeyInfo> catalogue_keys();
[[nodiscard]] std::vector<KeyInfo> ask_keys();
/// Of an entry of `mcpServers`, except those that only an HTTP API has.
[[nodiscard]] std::vector<KeyInfo> server_keys();
/// Whether servers of every type have this key.
[[nodiscard]] bool is_common_server_key(std::string_view key);
[[nodiscard]] std::vector<KeyInfo> reconnect_keys();
[[nodiscard]] Node credentials_schema();
/// Keys at the top level that belong to other programs and are ignored.
[[nodiscard]] std::vector<std::string_view> foreign_sections();

}  // namespace holdfast::config
