#include "net/line_writer.hpp"

#include <cstddef>

namespace holdfast::net {
namespace {

bool is_line_end(char character) {
    return character == '\n' || character == '\r';
}

// Two searches for one character each are much faster than one for either.
bool has_line_end(std::string_view text) {
    return text.find('\n') != std::string_view::npos || text.find('\r') != std::string_view::npos;
}

// Walks through a JSON text and tracks whether the next character is inside a string.
class StringTracker {
public:
    [[nodiscard]] bool is_inside() const { return is_inside_; }
    void pass(char character) {
        if (is_escaped_) {
            is_escaped_ = false;
        } else if (character == '"') {
            is_inside_ = !is_inside_;
        } else if (is_inside_ && character == '\\') {
            is_escaped_ = true;
        }
    }

private:
    bool is_inside_ = false;
    bool is_escaped_ = false;
};

}  // namespace

NetResult<void> append_line(std::string& out, std::string_view json) {
    const std::size_t first = out.size();
    out.reserve(first + json.size() + 1);
    out.append(json);
    // Most texts have no line end at all, and are only searched for one.
    if (has_line_end(json)) {
        StringTracker tracker;
        for (std::size_t index = first; index < out.size(); ++index) {
            char& character = out[index];
            if (!is_line_end(character)) {
                tracker.pass(character);
                continue;
            }
            if (tracker.is_inside()) {
                out.resize(first);
                return NetError{.code = NetErrc::invalid_request,
                                .message = "a string in the message holds a raw line end"};
            }
            character = ' ';
        }
    }
    out.push_back('\n');
    return {};
}

}  // namespace holdfast::net
