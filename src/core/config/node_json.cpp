#include "config/node_json.hpp"

#include "jsonrpc/json_text.hpp"

namespace holdfast::config {
namespace {

constexpr std::size_t kIndent = 2;

// As deep as the document, whose reader has limited that.
class NodeWriter final {
public:
    explicit NodeWriter(bool is_indented) : is_indented_(is_indented) {}

    void write(const Node& value) {
        switch (value.kind) {
            case NodeKind::null:
                text_ += "null";
                return;
            case NodeKind::boolean:
                text_ += value.boolean ? "true" : "false";
                return;
            case NodeKind::number:
                text_ += value.text;
                return;
            case NodeKind::text:
                jsonrpc::append_quoted(text_, value.text);
                return;
            case NodeKind::list:
                write_list(value);
                return;
            case NodeKind::object:
                write_object(value);
                return;
        }
    }

    [[nodiscard]] std::string take() { return std::move(text_); }

private:
    void write_list(const Node& value) {
        begin('[');
        for (const Node& item : value.items) {
            next();
            write(item);
        }
        end(']', value.items.empty());
    }

    void write_object(const Node& value) {
        begin('{');
        for (const Member& member : value.members) {
            next();
            jsonrpc::append_quoted(text_, member.key);
            text_ += is_indented_ ? ": " : ":";
            write(member.value);
        }
        end('}', value.members.empty());
    }

    void begin(char bracket) {
        text_ += bracket;
        ++depth_;
        is_first_ = true;
    }
    void next() {
        text_ += is_first_ ? "" : ",";
        is_first_ = false;
        break_line();
    }
    void end(char bracket, bool is_empty) {
        --depth_;
        if (!is_empty) {
            break_line();
        }
        text_ += bracket;
        is_first_ = false;
    }
    void break_line() {
        if (is_indented_) {
            text_.append("\n").append(depth_ * kIndent, ' ');
        }
    }

    const bool is_indented_;
    std::string text_;
    std::size_t depth_ = 0;
    bool is_first_ = true;
};

std::string written(const Node& value, bool is_indented) {
    NodeWriter writer{is_indented};
    writer.write(value);
    return writer.take();
}

}  // namespace

std::string json_of(const Node& value) {
    return written(value, false);
}

std::string indented_json_of(const Node& value) {
    return written(value, true);
}

}  // namespace holdfast::config
