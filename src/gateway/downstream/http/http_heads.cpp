#include "downstream/http/http_heads.hpp"

#include <algorithm>

#include "mcp/header_value.hpp"

namespace holdfast::downstream {
namespace {

using std::string_view_literals::operator""sv;

constexpr std::string_view kPostLines =
    "Content-Type: application/json\r\n"
    "Accept: application/json, text/event-stream\r\n";

void append_line(std::string& lines, std::string_view name, std::string_view value) {
    lines.append(name).append(": "sv).append(value).append("\r\n"sv);
}

const std::vector<mcp::HeaderParam>* params_of(const Request& request,
                                               const ToolHeaderTable* table) {
    if (table == nullptr || request.method != "tools/call") {
        return nullptr;
    }
    const auto found = table->params.find(request.name);
    return found != table->params.end() ? &found->second : nullptr;
}

}  // namespace

HttpHeads::HttpHeads(std::string_view configured_lines)
    : common_(configured_lines), post_(std::string{kPostLines}.append(configured_lines)) {}

HttpHeads::HttpHeads(mcp::Revision revision, std::string_view session_id,
                     std::string_view configured_lines)
    : is_modern_(mcp::era_of(revision) == mcp::Era::modern) {
    if (mcp::has_version_header(revision)) {
        append_line(common_, "MCP-Protocol-Version", mcp::text_of(revision));
    }
    if (!session_id.empty()) {
        append_line(common_, "Mcp-Session-Id", session_id);
    }
    common_.append(configured_lines);
    post_.append(kPostLines).append(common_);
}

std::string HttpHeads::for_request(const Request& request, const ToolHeaderTable* table) const {
    if (!is_modern_) {
        return post_;
    }
    constexpr std::size_t kNamesBytes = 64;
    std::string lines;
    lines.reserve(post_.size() + request.method.size() + request.name.size() + kNamesBytes);
    lines.append(post_);
    append_line(lines, "Mcp-Method", request.method);
    if (!request.name.empty()) {
        append_line(lines, "Mcp-Name", mcp::header_value_of(request.name));
    }
    if (const auto* params = params_of(request, table)) {
        append_tool_headers(lines, *params, request.params_members);
    }
    return lines;
}

std::string HttpHeads::for_message(std::string_view method) const {
    std::string lines = post_;
    if (is_modern_ && !method.empty()) {
        append_line(lines, "Mcp-Method", method);
    }
    return lines;
}

std::string HttpHeads::for_stream(std::string_view last_event_id) const {
    std::string lines = "Accept: text/event-stream\r\n";
    lines.append(common_);
    if (!last_event_id.empty()) {
        append_line(lines, "Last-Event-ID", last_event_id);
    }
    return lines;
}

bool is_plain_header_value(std::string_view text) noexcept {
    return std::ranges::all_of(text, [](char character) {
        const auto byte = static_cast<unsigned char>(character);
        return byte >= 0x20 && byte != 0x7F;
    });
}

}  // namespace holdfast::downstream
