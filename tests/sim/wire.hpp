#pragma once

#include <boost/json.hpp>
#include <string>
#include <string_view>

// JSON as the inhabitants of a world use it. They use another library than the gateway, so that
// both would have to be wrong in the same way.

namespace holdfast::sim {

namespace json = boost::json;

/// The mark that agents add to every request, and downstreams to every message about it: `<A2>#17`
/// is request 17 of agent A2.
inline constexpr std::string_view kMarkKey = "dev.sim/mark";
inline constexpr std::string_view kSubscriptionKey = "io.modelcontextprotocol/subscriptionId";

/// Returns null if there is no such member.
[[nodiscard]] inline const json::value* find(const json::object& object, std::string_view key) {
    return object.if_contains(key);
}
[[nodiscard]] inline std::string text_at(const json::object& object, std::string_view key) {
    const json::value* value = find(object, key);
    return value != nullptr && value->is_string() ? std::string{value->get_string()}
                                                  : std::string{};
}
/// Returns an empty object if there is no such member.
[[nodiscard]] inline json::object object_at(const json::object& object, std::string_view key) {
    const json::value* value = find(object, key);
    return value != nullptr && value->is_object() ? value->get_object() : json::object{};
}
/// Returns the member as JSON; may be empty. Distinguishes `1`, `1.0` and `"1"`.
[[nodiscard]] inline std::string json_at(const json::object& object, std::string_view key) {
    const json::value* value = find(object, key);
    return value != nullptr ? json::serialize(*value) : std::string{};
}
[[nodiscard]] inline json::object message_of(std::string_view method, json::object params) {
    json::object message{{"jsonrpc", "2.0"}, {"method", method}};
    if (!params.empty()) {
        message["params"] = std::move(params);
    }
    return message;
}

}  // namespace holdfast::sim
