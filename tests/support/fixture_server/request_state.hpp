#pragma once

#include <optional>
#include <string>
#include <string_view>

#include <boost/json/object.hpp>

namespace holdfast::fixture {

/// The answers that a client gave so far, as an opaque text that it carries for us between the
/// rounds of a request. The seal shows changes; it is a checksum, good enough for a test server.
[[nodiscard]] std::string sealed_state(const boost::json::object& answers);

/// The answers in such a text; nothing if it was changed on the way.
[[nodiscard]] std::optional<boost::json::object> opened_state(std::string_view state);

}  // namespace holdfast::fixture
