#pragma once

#include <string>
#include <string_view>
#include <variant>

#include <boost/json/object.hpp>

namespace holdfast::fixture {

/// A result, as the bytes that go out. In the modern era `type` and whatever else is required is
/// put in front of its members.
struct Answer {
    std::string result = "{}";
    std::string_view type = "complete";
    std::string meta = {};  ///< The inside of further `_meta` members; for the modern era only.
};

/// A JSON-RPC error, and the HTTP status that carries it.
struct Refusal {
    int code = 0;
    std::string message = {};
    std::string data = {};  ///< JSON; empty = none.
    int http_status = 200;
};

/// How a request ends.
using Outcome = std::variant<Answer, Refusal>;

/// The result of a tool that says one text.
[[nodiscard]] Answer text_result(std::string_view text);
/// The result of a tool that ran and failed.
[[nodiscard]] Answer failed_result(std::string_view text);
/// The result of a tool with these blocks, written as the inside of an array.
[[nodiscard]] Answer content_result(std::string_view blocks);
[[nodiscard]] Refusal invalid_params(std::string message, std::string data = {});

/// The string member of that name, or the default if there is none.
[[nodiscard]] std::string string_in(const boost::json::object& object, std::string_view key,
                                    std::string_view otherwise = {});
/// The member of that name as a number that is not negative, or the default.
[[nodiscard]] std::size_t number_in(const boost::json::object& object, std::string_view key,
                                    std::size_t otherwise);

}  // namespace holdfast::fixture
