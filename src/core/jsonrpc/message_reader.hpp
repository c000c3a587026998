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

/// Reads JSON-RPC messages without building a tree. It finds the parts that matter and checks that
/// the rest is JSON, so that the bytes can be passed on. Reuses its memory for the next message.
///
/// Thread-safety: none; each loop has its own.
class MessageReader final {
public:
    explicit MessageReader(const ReaderLimits& limits = {});
    MessageReader(const MessageReader&) = delete;
    MessageReader& operator=(const MessageReader&) = delete;
    ~MessageReader();

    /// Applies to the following messages.
    void set_limits(const ReaderLimits& limits) noexcept { limits_ = limits; }

    /// Reads one message, which is valid until the next call and while the text lives. Rejects a
    /// batch as an invalid request.
    [[nodiscard]] Result<Message, ReadFault> read(const PaddedText& text);

    /// Returns the members of an object within a text that was read before, such as the `arguments`
    /// of a call. Empty if the value is not an object or has too many members. Valid as long as a
    /// message is.
    [[nodiscard]] ObjectView read_object(const PaddedText& text, std::string_view value);

    /// Returns the elements of an array within a text that was read before, such as the `content`
    /// of a result, at most `max_batch`. Empty if the value is not an array. The elements are views
    /// into the text.
    [[nodiscard]] std::vector<std::string_view> read_list(const PaddedText& text,
                                                          std::string_view value);

    /// Returns the messages of a batch, each valid JSON, as views into the text.
    [[nodiscard]] Result<std::vector<std::string_view>, ReadFault> split_batch(
        const PaddedText& text);

private:
    ReaderLimits limits_;
    // Hidden because the parser's header is slow to compile.
    const std::unique_ptr<ReaderMemory> memory_;
};

/// Returns whether the text is an array, that is, a batch of messages.
[[nodiscard]] bool is_batch(std::string_view text) noexcept;

}  // namespace holdfast::jsonrpc
