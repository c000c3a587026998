#include "jsonrpc/message_writer.hpp"

#include "jsonrpc/json_text.hpp"

namespace holdfast::jsonrpc {
namespace {

using std::string_view_literals::operator""sv;

constexpr std::string_view kStart = R"({"jsonrpc":"2.0")";

/// Space for the members around the inserted texts.
constexpr std::size_t kEnvelopeBytes = 64;

std::string started(std::size_t spliced_bytes) {
    std::string text;
    text.reserve(kEnvelopeBytes + spliced_bytes);
    text.append(kStart);
    return text;
}

void append_member(std::string& out, std::string_view name, std::string_view value) {
    if (!value.empty()) {
        out.append(",\""sv).append(name).append("\":"sv).append(value);
    }
}

void append_method(std::string& out, std::string_view method) {
    out.append(",\"method\":"sv);
    append_quoted(out, method);
}

}  // namespace

std::string request_text(std::string_view id, std::string_view method, std::string_view params) {
    std::string text = started(id.size() + method.size() + params.size());
    append_member(text, "id", id);
    append_method(text, method);
    append_member(text, "params", params);
    text.push_back('}');
    return text;
}

std::string notification_text(std::string_view method, std::string_view params) {
    return request_text({}, method, params);
}

std::string result_text(std::string_view id, std::string_view result) {
    return result_text(id, {result});
}

std::string result_text(std::string_view id, std::initializer_list<std::string_view> pieces) {
    std::size_t size = id.size();
    for (const std::string_view piece : pieces) {
        size += piece.size();
    }
    std::string text = started(size);
    append_member(text, "id", id);
    text.append(R"(,"result":)"sv);
    for (const std::string_view piece : pieces) {
        text.append(piece);
    }
    text.push_back('}');
    return text;
}

std::string error_text(std::string_view id, const ErrorObject& error) {
    std::string object = R"({"code":)";
    object.append(std::to_string(error.code)).append(R"(,"message":)");
    append_quoted(object, error.message);
    append_member(object, "data", error.data);
    object.push_back('}');
    return relayed_error_text(id, object);
}

std::string relayed_error_text(std::string_view id, std::string_view error) {
    std::string text = started(id.size() + error.size());
    append_member(text, "id", id);
    append_member(text, "error", error);
    text.push_back('}');
    return text;
}

}  // namespace holdfast::jsonrpc
