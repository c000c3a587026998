#pragma once

#include <string>
#include <string_view>

namespace holdfast::cli {

/// The text of `starter_config.json`, which is part of the binary. `@HOLDFAST@` in it is replaced
/// by this program, `@CONFIG@` for the file itself.
[[nodiscard]] std::string_view starter_config_template() noexcept;

/// A commented config for somebody who begins, with both of these filled in.
[[nodiscard]] std::string starter_config(const std::string& program, const std::string& file);

}  // namespace holdfast::cli
