#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "jsonrpc/padded_text.hpp"

namespace holdfast::rest {

/// The path to a part of a JSON value: `data.items.0`, or as a JSON pointer `/data/items/0`.
///
/// Thread-safety: that of a plain value.
struct JsonPath {
    static constexpr std::size_t kMaxKeys = 32;

    std::vector<std::string> keys = {};  ///< Empty = the whole value.

    friend bool operator==(const JsonPath&, const JsonPath&) = default;
};

/// Returns nothing if the path has too many keys, an empty key or an invalid escape.
[[nodiscard]] std::optional<JsonPath> parsed_path(std::string_view text);

struct JsonLimits {
    std::size_t max_members = 100'000;  ///< In one object or list on the path.
};

/// A JSON value from an untrusted source. The whole text has been validated; the bytes are
/// unchanged.
///
/// Thread-safety: a value.
class JsonText final {
public:
    /// Returns nothing if the text is not exactly one JSON value.
    [[nodiscard]] static std::optional<JsonText> checked(std::string_view text);

    /// The value without surrounding white space.
    [[nodiscard]] std::string_view whole() const;
    /// Returns nothing if there is no such part.
    [[nodiscard]] std::optional<std::string> part(const JsonPath& path,
                                                  const JsonLimits& limits = {}) const;

private:
    explicit JsonText(jsonrpc::PaddedText list) : list_(std::move(list)) {}

    jsonrpc::PaddedText list_;  // the value as the only element of a list
};

}  // namespace holdfast::rest
