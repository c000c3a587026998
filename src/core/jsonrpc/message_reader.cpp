#include "jsonrpc/message_reader.hpp"

#include <tuple>
#include <utility>

#include "base/blanks.hpp"
#include "jsonrpc/json_text.hpp"
#include "jsonrpc/reader/message_shape.hpp"
#include "jsonrpc/reader/message_walk.hpp"

namespace holdfast::jsonrpc {
namespace {

ReadFault fault_of(const MessageWalk& walk) {
    if (walk.is_limit()) {
        return {.code = kInvalidRequest, .message = "Message refused: " + walk.complaint()};
    }
    return {.code = kParseError, .message = "Parse error: " + walk.complaint()};
}

void expect_part(const PaddedText& text, std::string_view value) {
    const std::string_view whole = text.view();
    HOLDFAST_EXPECT(value.data() >= whole.data());
    HOLDFAST_EXPECT(value.data() + value.size() <= whole.data() + whole.size());
}

}  // namespace

MessageReader::MessageReader(const ReaderLimits& limits)
    : limits_(limits), memory_(std::make_unique<ReaderMemory>()) {}

MessageReader::~MessageReader() = default;

Result<Message, ReadFault> MessageReader::read(const PaddedText& text) {
    const std::string_view content = base::without_blanks(text.view());
    if (is_batch(content)) {
        const auto messages = split_batch(text);
        return messages ? ReadFault{.code = kInvalidRequest,
                                    .message = "Invalid request: a batch is not accepted here"}
                        : messages.error();
    }
    if (!content.starts_with('{') && is_scalar(content)) {
        return ReadFault{.code = kInvalidRequest,
                         .message = "Invalid request: a message is a JSON object"};
    }
    memory_->decoded_keys.clear();
    memory_->body.clear();
    memory_->meta.clear();
    MessageWalk walk{limits_, *memory_, content};
    if (!walk.walk_object(Level::message)) {
        ReadFault fault = fault_of(walk);
        if (walk.is_limit()) {
            fault.id = walk.id_of_response();
        }
        return fault;
    }
    return shaped(*memory_);
}

ObjectView MessageReader::read_object(const PaddedText& text, std::string_view value) {
    expect_part(text, value);
    MessageWalk walk{limits_, *memory_, value};
    if (!value.starts_with('{') || !walk.walk_object(Level::lone_object)) {
        return {};
    }
    return {value, memory_->object};
}

std::vector<std::string_view> MessageReader::read_list(const PaddedText& text,
                                                       std::string_view value) {
    expect_part(text, value);
    std::vector<std::string_view> elements;
    if (value.starts_with('[')) {
        MessageWalk walk{limits_, *memory_, value};
        std::ignore = walk.walk_array(elements);  // ends early only at the limit
    }
    return elements;
}

Result<std::vector<std::string_view>, ReadFault> MessageReader::split_batch(
    const PaddedText& text) {
    std::vector<std::string_view> messages;
    MessageWalk walk{limits_, *memory_, base::without_blanks(text.view())};
    if (!walk.walk_array(messages)) {
        return fault_of(walk);
    }
    if (messages.empty()) {
        return ReadFault{.code = kInvalidRequest, .message = "Invalid request: the batch is empty"};
    }
    return messages;
}

bool is_batch(std::string_view text) noexcept {
    return base::without_blanks(text).starts_with('[');
}

}  // namespace holdfast::jsonrpc
