#include "jsonrpc/reader/message_shape.hpp"

#include <optional>
#include <string>
#include <utility>

#include "jsonrpc/json_text.hpp"

namespace holdfast::jsonrpc {
namespace {

/// The members of a message that JSON-RPC defines, as written; empty = missing.
struct Members {
    std::string_view version;
    std::string_view id;
    std::string_view method;
    std::string_view params;
    std::string_view result;
    std::string_view error;
};

ReadFault invalid(std::string_view why, std::string_view id = {}) {
    return {.code = kInvalidRequest,
            .message = "Invalid request: " + std::string{why},
            .id = std::string{id}};
}

std::string_view* member_for(Members& members, std::string_view key) noexcept {
    if (key == "jsonrpc") {
        return &members.version;
    }
    if (key == "id") {
        return &members.id;
    }
    if (key == "method") {
        return &members.method;
    }
    if (key == "params") {
        return &members.params;
    }
    if (key == "result") {
        return &members.result;
    }
    return key == "error" ? &members.error : nullptr;
}

/// Returns false if a key occurs twice: parsers differ in which of the two values they take.
bool sort_members(const std::vector<Field>& fields, Members& members) {
    for (const Field& field : fields) {
        if (std::string_view* member = member_for(members, field.key)) {
            if (!member->empty()) {
                return false;
            }
            *member = field.value;
        }
    }
    return true;
}

/// Accepts an integer written as 1.0, because some languages have no other kind of number.
bool is_id(std::string_view text) noexcept {
    const std::size_t point = text.find('.');
    const bool has_fraction = point != std::string_view::npos && text.size() > point + 1;
    const bool is_whole =
        has_fraction && text.find_first_not_of('0', point + 1) == std::string_view::npos;
    return text.starts_with('"') || is_integer(is_whole ? text.substr(0, point) : text);
}

std::optional<std::string_view> fault_in_error(const ReaderMemory& memory) {
    const ObjectView error{"{}", memory.body};
    const auto code = error.find("code");
    const auto message = error.find("message");
    if (!code || !is_integer(*code)) {
        return "\"error.code\" must be an integer";
    }
    if (!message || !message->starts_with('"')) {
        return "\"error.message\" must be a string";
    }
    return std::nullopt;
}

/// Returns what is wrong with the members, or nothing.
std::optional<std::string_view> fault_in(const Members& members, const ReaderMemory& memory) {
    if (members.version != "\"2.0\"") {
        return "\"jsonrpc\" must be \"2.0\"";
    }
    const bool is_response = members.method.empty();
    if (!is_response && !(members.result.empty() && members.error.empty())) {
        return "a message has either a \"method\" or a \"result\" or an \"error\"";
    }
    if (is_response && members.result.empty() == members.error.empty()) {
        return "a message needs a \"method\", a \"result\" or an \"error\"";
    }
    if (!is_response && !members.method.starts_with('"')) {
        return "\"method\" must be a string";
    }
    const bool id_may_be_null = !members.error.empty();
    if (!members.id.empty() && !is_id(members.id) && !(id_may_be_null && members.id == "null")) {
        return "\"id\" must be a string or an integer";
    }
    if (!members.params.empty() && !members.params.starts_with('{')) {
        return "\"params\" must be an object";
    }
    if (!members.result.empty() && !members.result.starts_with('{')) {
        return "\"result\" must be an object";
    }
    if (!members.result.empty() && members.id.empty()) {
        return "a result needs an \"id\"";
    }
    if (!members.error.empty()) {
        return members.error.starts_with('{') ? fault_in_error(memory)
                                              : "\"error\" must be an object";
    }
    return std::nullopt;
}

MessageKind kind_of(const Members& members) noexcept {
    if (members.method.empty()) {
        return members.result.empty() ? MessageKind::error : MessageKind::result;
    }
    return members.id.empty() ? MessageKind::notification : MessageKind::request;
}

std::string_view method_of(std::string_view text, ReaderMemory& memory) {
    const std::string_view inside = between_quotes(text);
    if (inside.find('\\') == std::string_view::npos) {
        return inside;
    }
    memory.method = decoded(text);
    return memory.method;
}

}  // namespace

Result<Message, ReadFault> shaped(ReaderMemory& memory) {
    Members members;
    if (!sort_members(memory.message, members)) {
        return invalid("a member is duplicated");
    }
    if (const auto fault = fault_in(members, memory)) {
        return invalid(*fault, is_id(members.id) ? members.id : std::string_view{});
    }
    Message message{.kind = kind_of(members), .id = members.id == "null" ? "" : members.id};
    std::string_view body = members.params;
    if (members.method.empty()) {
        body = members.result.empty() ? members.error : members.result;
    } else {
        message.method = method_of(members.method, memory);
    }
    if (!body.empty()) {
        message.body = {body, memory.body};
        const std::string_view meta = message.body.find("_meta").value_or("");
        if (meta.starts_with('{')) {
            message.meta = {meta, memory.meta};
        }
    }
    return message;
}

}  // namespace holdfast::jsonrpc
