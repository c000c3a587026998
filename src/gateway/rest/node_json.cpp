#include "rest/node_json.hpp"

#include "jsonrpc/json_text.hpp"

namespace holdfast::rest {
namespace {

using config::NodeKind;

// The recursion is as deep as the document, whose depth its reader has limited.
void append(std::string& out, const config::Node& value) {
    std::string_view separator;
    switch (value.kind) {
        case NodeKind::null:
            out += "null";
            return;
        case NodeKind::boolean:
            out += value.boolean ? "true" : "false";
            return;
        case NodeKind::number:
            out += value.text;
            return;
        case NodeKind::text:
            jsonrpc::append_quoted(out, value.text);
            return;
        case NodeKind::list:
            out += '[';
            for (const config::Node& item : value.items) {
                out += separator;
                append(out, item);
                separator = ",";
            }
            out += ']';
            return;
        case NodeKind::object:
            out += '{';
            for (const config::Member& member : value.members) {
                out += separator;
                jsonrpc::append_quoted(out, member.key);
                out += ':';
                append(out, member.value);
                separator = ",";
            }
            out += '}';
            return;
    }
}

}  // namespace

std::string json_of(const config::Node& value) {
    std::string text;
    append(text, value);
    return text;
}

}  // namespace holdfast::rest
