#include "net/sse_writer.hpp"

#include <cstddef>

#include "holdfast/resilience/expect.hpp"

namespace holdfast::net {
namespace {

void append_field(std::string& out, std::string_view name, std::string_view value) {
    out.append(name);
    out.append(": ");
    out.append(value);
    out.push_back('\n');
}

bool is_one_line(std::string_view text) {
    return text.find_first_of(std::string_view{"\r\n\0", 3}) == std::string_view::npos;
}

void append_data(std::string& out, std::string_view data) {
    std::size_t end = data.find_first_of("\r\n");
    while (end != std::string_view::npos) {
        append_field(out, "data", data.substr(0, end));
        const bool is_pair = data.substr(end).starts_with("\r\n");
        data.remove_prefix(end + (is_pair ? 2 : 1));
        end = data.find_first_of("\r\n");
    }
    append_field(out, "data", data);
}

}  // namespace

void append_sse_event(std::string& out, const SseOutgoing& event) {
    HOLDFAST_EXPECT(is_one_line(event.type));
    HOLDFAST_EXPECT(is_one_line(event.id));
    if (!event.type.empty()) {
        append_field(out, "event", event.type);
    }
    if (!event.id.empty()) {
        append_field(out, "id", event.id);
    }
    if (event.retry) {
        append_field(out, "retry", std::to_string(event.retry->count()));
    }
    append_data(out, event.data);
    out.push_back('\n');
}

}  // namespace holdfast::net
