#pragma once

#include <optional>
#include <string>
#include <string_view>

#include <boost/json/object.hpp>

namespace holdfast::fixture {

/// Encodes the answers of a client so far as an opaque text that the client carries between the
/// rounds of a request. A checksum detects changes, which is enough for a test server.
[[nodiscard]] std::string sealed_state(const boost::json::object& answers);

/// Decodes the answers; nothing if the text was changed.
[[nodiscard]] std::optional<boost::json::object> opened_state(std::string_view state);

}  // namespace holdfast::fixture
