#pragma once

#include <string>
#include <string_view>

#include "jsonrpc/message_reader.hpp"
#include "jsonrpc/object_edit.hpp"

namespace holdfast::fuzz {

/// Any bytes are either rejected or read, and the parts of a message can be reassembled.
inline void run_message_input(std::string_view bytes) {
    using namespace jsonrpc;
    MessageReader reader;
    const PaddedText text{std::string{bytes}};
    const auto message = reader.read(text);
    if (message && message->body.exists()) {
        const PaddedText copy{ObjectEdit{message->body}.text()};
        HOLDFAST_EXPECT(reader.read_object(copy, copy.view()).exists());
    }
    if (is_batch(text.view())) {
        static_cast<void>(reader.split_batch(text));
    }
}

}  // namespace holdfast::fuzz
