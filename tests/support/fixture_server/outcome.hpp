#pragma once

#include <string>
#include <string_view>
#include <variant>

#include <boost/json/object.hpp>

namespace holdfast::fixture {

/// The bytes of a result. In the modern era `type` and other required members are inserted at the
/// front.
struct Answer {
    std::string result = "{}";
    std::string_view type = "complete";
    std::string meta = {};  ///< Further members of `_meta`, without braces; modern era only.
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

/// Returns the result of a tool with one text.
[[nodiscard]] Answer text_result(std::string_view text);
/// Returns the result of a tool that ran and failed.
[[nodiscard]] Answer failed_result(std::string_view text);
/// Returns the result of a tool with these blocks, written as the inside of an array.
[[nodiscard]] Answer content_result(std::string_view blocks);
[[nodiscard]] Refusal invalid_params(std::string message, std::string data = {});

/// Returns the string member of that name, or the default if there is none.
[[nodiscard]] std::string string_in(const boost::json::object& object, std::string_view key,
                                    std::string_view otherwise = {});
/// Returns the member of that name as a number that is not negative, or the default.
[[nodiscard]] std::size_t number_in(const boost::json::object& object, std::string_view key,
                                    std::size_t otherwise);

}  // namespace holdfast::fixture
