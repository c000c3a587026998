#pragma once

#include <cstddef>
#include <memory>
#include <string_view>
#include <vector>

#include "holdfast/resilience/result.hpp"
#include "jsonrpc/message.hpp"
#include "jsonrpc/padded_text.hpp"

namespace holdfast::jsonrpc {

using resilience::Result;

struct ReaderMemory;

struct ReaderLimits {
    std::size_t max_depth = 512;
    std::size_t max_fields = 1'024;  ///< Of the message, its body and `_meta` together.
    std::size_t max_batch = 100;
};

/// Reads JSON-RPC messages without building a tree: it finds the parts that matter, and checks
/// once that all the rest is JSON, so that it can be passed on as bytes. Keeps its memory for the
/// next message.
///
/// Thread-safety: none; each loop has its own.
class MessageReader final {
public:
    explicit MessageReader(const ReaderLimits& limits = {});
    MessageReader(const MessageReader&) = delete;
    MessageReader& operator=(const MessageReader&) = delete;
    ~MessageReader();

    /// For the messages to come.
    void set_limits(const ReaderLimits& limits) noexcept { limits_ = limits; }

    /// The message is valid until the next call, and while the text lives. A text that is a batch
    /// is refused as an invalid request.
    [[nodiscard]] Result<Message, ReadFault> read(const PaddedText& text);

    /// The members of an object within a text that has been read before, such as the `arguments`
    /// of a call. Empty if the value is no object or has too many members. Valid like a message.
    [[nodiscard]] ObjectView read_object(const PaddedText& text, std::string_view value);

    /// The elements of an array within a text that has been read before, such as the `content` of a
    /// result: the first `max_batch` of them. Empty if the value is not an array. Views into the
    /// text.
    [[nodiscard]] std::vector<std::string_view> read_list(const PaddedText& text,
                                                          std::string_view value);

    /// The texts of the messages of a batch, each valid JSON; views into the text.
    [[nodiscard]] Result<std::vector<std::string_view>, ReadFault> split_batch(
        const PaddedText& text);

private:
    ReaderLimits limits_;
    // Hidden, since the parser's header is slow to compile.
    const std::unique_ptr<ReaderMemory> memory_;
};

/// Whether the text is an array, which is what a batch of messages is.
[[nodiscard]] bool is_batch(std::string_view text) noexcept;

}  // namespace holdfast::jsonrpc
