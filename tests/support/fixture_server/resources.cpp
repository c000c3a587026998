#include "support/fixture_server/resources.hpp"

#include <optional>
#include <string>
#include <string_view>

#include <boost/json/serialize.hpp>

#include "jsonrpc/json_text.hpp"
#include "mcp/protocol_error.hpp"
#include "support/fixture_server/asking.hpp"
#include "support/fixture_server/samples.hpp"

namespace holdfast::fixture {
namespace {

namespace json = boost::json;

constexpr std::string_view kAskingUri = "test://asking";

Answer one_text(std::string_view uri, std::string_view type, std::string_view text) {
    return {.result = R"({"contents":[{"uri":)" + jsonrpc::quoted_text(uri) + R"(,"mimeType":)" +
                      jsonrpc::quoted_text(type) + R"(,"text":)" + jsonrpc::quoted_text(text) +
                      "}]}"};
}

/// Returns the id in `test://template/{id}/data`.
std::optional<std::string> template_id(std::string_view uri) {
    constexpr std::string_view kBegin = "test://template/";
    constexpr std::string_view kEnd = "/data";
    if (!uri.starts_with(kBegin) || !uri.ends_with(kEnd) ||
        uri.size() <= kBegin.size() + kEnd.size()) {
        return std::nullopt;
    }
    return std::string{uri.substr(kBegin.size(), uri.size() - kBegin.size() - kEnd.size())};
}

Outcome read_plain(const Call& call, const std::string& uri) {
    if (uri == "test://static-text") {
        return one_text(uri, "text/plain", "This is the content of the static text resource.");
    }
    if (uri == "test://static-binary") {
        return Answer{.result = R"({"contents":[{"uri":"test://static-binary",)"
                                R"("mimeType":"image/png","blob":")" +
                                std::string{kPngBase64} + R"("}]})"};
    }
    if (uri == "test://watched-resource") {
        return one_text(uri, "text/plain", "Watched resource content");
    }
    if (const auto id = template_id(uri)) {
        const json::object content{
            {"id", *id}, {"templateTest", true}, {"data", "Data for ID: " + *id}};
        return one_text(uri, "application/json", json::serialize(content));
    }
    return Refusal{.code = call.is_modern() ? mcp::kInvalidParams : mcp::kResourceNotFound,
                   .message = "Resource not found: " + uri,
                   .data = R"({"uri":)" + jsonrpc::quoted_text(uri) + "}"};
}

}  // namespace

Answer resource_list() {
    return {.result =
                R"({"resources":[{"uri":"test://static-text","name":"Static Text Resource",)"
                R"("description":"A static text resource for testing","mimeType":"text/plain"},)"
                R"({"uri":"test://static-binary","name":"Static Binary Resource",)"
                R"("description":"A static binary resource for testing","mimeType":"image/png"},)"
                R"({"uri":"test://watched-resource","name":"Watched Resource",)"
                R"("description":"A resource that can be subscribed to","mimeType":"text/plain"},)"
                R"({"uri":"test://asking","name":"Asking Resource",)"
                R"("description":"Asks for a name before it is read","mimeType":"text/plain"}]})"};
}

Answer resource_template_list() {
    return {.result = R"({"resourceTemplates":[{"uriTemplate":"test://template/{id}/data",)"
                      R"("name":"Resource Template","description":"A resource with an id",)"
                      R"("mimeType":"application/json"}]})"};
}

boost::asio::awaitable<Outcome> read_resource(std::shared_ptr<Call> call) {
    const std::string uri = string_in(call->params(), "uri");
    if (uri != kAskingUri) {
        co_return read_plain(*call, uri);
    }
    const Asked asked = co_await ask(call, {form_question("reader", "Who reads this?", "name")});
    if (const auto* outcome = std::get_if<Outcome>(&asked)) {
        co_return *outcome;
    }
    co_return one_text(uri, "text/plain",
                       json::serialize(std::get<json::object>(asked).at("reader")));
}

}  // namespace holdfast::fixture
