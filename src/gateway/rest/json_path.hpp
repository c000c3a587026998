#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "jsonrpc/padded_text.hpp"

namespace holdfast::rest {

/// The way to a part of a JSON value: `data.items.0`, or as a JSON pointer `/data/items/0`.
///
/// Thread-safety: that of a plain value.
struct JsonPath {
    static constexpr std::size_t kMaxKeys = 32;

    std::vector<std::string> keys = {};  ///< None = the whole.

    friend bool operator==(const JsonPath&, const JsonPath&) = default;
};

/// Nothing if it has too many keys, an empty one or a wrong escape.
[[nodiscard]] std::optional<JsonPath> parsed_path(std::string_view text);

struct JsonLimits {
    std::size_t max_members = 100'000;  ///< Of one object or list that is looked into.
};

/// A JSON value of a stranger that has been checked whole, and stays as it is written.
///
/// Thread-safety: a value.
class JsonText final {
public:
    /// Nothing if the text is not exactly one JSON value.
    [[nodiscard]] static std::optional<JsonText> checked(std::string_view text);

    /// Without the blanks around it.
    [[nodiscard]] std::string_view whole() const;
    /// Nothing if there is no such part.
    [[nodiscard]] std::optional<std::string> part(const JsonPath& path,
                                                  const JsonLimits& limits = {}) const;

private:
    explicit JsonText(jsonrpc::PaddedText list) : list_(std::move(list)) {}

    jsonrpc::PaddedText list_;  // the value as the only element of a list
};

}  // namespace holdfast::rest
