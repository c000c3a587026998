#pragma once

#include <string>
#include <string_view>

#include "cli/import/imported_entry.hpp"

namespace holdfast::cli {

/// A text of a client's config with its variables as ours. What the reader should know goes to the
/// notes; a variable that nobody but the client knows becomes the refusal.
[[nodiscard]] std::string with_our_variables(std::string_view text, const EntrySource& source,
                                             ImportedEntry& entry);

}  // namespace holdfast::cli
