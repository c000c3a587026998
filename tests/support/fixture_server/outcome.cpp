#include "support/fixture_server/outcome.hpp"

#include <utility>

#include "jsonrpc/json_text.hpp"
#include "mcp/protocol_error.hpp"

namespace holdfast::fixture {
namespace {

std::string text_block(std::string_view text) {
    return R"({"type":"text","text":)" + jsonrpc::quoted_text(text) + "}";
}

}  // namespace

Answer text_result(std::string_view text) {
    return content_result(text_block(text));
}

Answer failed_result(std::string_view text) {
    return {.result = R"({"content":[)" + text_block(text) + R"(],"isError":true})"};
}

Answer content_result(std::string_view blocks) {
    return {.result = R"({"content":[)" + std::string{blocks} + "]}"};
}

Refusal invalid_params(std::string message, std::string data) {
    return {.code = mcp::kInvalidParams, .message = std::move(message), .data = std::move(data)};
}

std::string string_in(const boost::json::object& object, std::string_view key,
                      std::string_view otherwise) {
    const boost::json::value* value = object.if_contains(key);
    if (value == nullptr || !value->is_string()) {
        return std::string{otherwise};
    }
    return std::string{value->get_string()};
}

std::size_t number_in(const boost::json::object& object, std::string_view key,
                      std::size_t otherwise) {
    const boost::json::value* value = object.if_contains(key);
    if (value == nullptr || !value->is_int64() || value->get_int64() < 0) {
        return otherwise;
    }
    return static_cast<std::size_t>(value->get_int64());
}

}  // namespace holdfast::fixture
