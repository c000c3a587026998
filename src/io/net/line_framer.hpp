#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string_view>
#include <variant>

#include "net/buffer_budget.hpp"

namespace holdfast::net {

struct LineFramerOptions {
    std::size_t max_message_bytes = std::size_t{64} * 1024 * 1024;
    BufferBudget* buffers = nullptr;  ///< Counts an unfinished line; null = no limit.
};

/// The next result of the framer.
struct NeedBytes {
    friend bool operator==(const NeedBytes&, const NeedBytes&) = default;
};
struct LineMessage {
    /// Without its line end. Valid until the next non-const call.
    std::string_view text;

    friend bool operator==(const LineMessage&, const LineMessage&) = default;
};
struct LineTooLong {
    bool is_out_of_space = false;  ///< The budget for buffers refused it, not its own limit.

    friend bool operator==(const LineTooLong&, const LineTooLong&) = default;
};
using LineStep = std::variant<NeedBytes, LineMessage, LineTooLong>;

/// Splits a stream of bytes into messages of one line each. Accepts "\r\n" for "\n" and skips blank
/// lines. A line above the limit is reported once, as soon as it is known, and dropped; the next
/// line is read as usual. Bytes are read directly into the framer and messages are views of them:
/// `prepare`, read, `commit`, then `next` until it needs bytes. The messages do not depend on how
/// the stream is split into pieces.
///
/// Thread-safety: none.
class LineFramer final {
public:
    explicit LineFramer(const LineFramerOptions& options)
        : options_(options), share_(options.buffers) {}

    /// Returns space for at least `size_bytes` more. Invalidates views of messages.
    [[nodiscard]] std::span<char> prepare(std::size_t size_bytes);
    /// The first `size_bytes` of the space from `prepare` have been filled.
    void commit(std::size_t size_bytes);
    /// `prepare`, copy and `commit` in one.
    void feed(std::string_view bytes);

    [[nodiscard]] LineStep next();
    /// After the end of the stream: returns the last line if it has no line end. Clears everything.
    [[nodiscard]] LineStep finish();

    /// The number of held bytes: an incomplete message, or messages that were not taken.
    [[nodiscard]] std::size_t pending_bytes() const noexcept { return end_ - begin_; }
    [[nodiscard]] std::size_t capacity_bytes() const noexcept { return capacity_; }

private:
    [[nodiscard]] LineStep step_of(std::string_view line) const;
    [[nodiscard]] bool is_over_limit(std::string_view unfinished_line) const;
    void release_if_empty();

    LineFramerOptions options_;
    BufferShare share_;
    std::unique_ptr<char[]> buffer_;
    std::size_t capacity_ = 0;
    std::size_t begin_ = 0;    // of the held bytes
    std::size_t scanned_ = 0;  // no line end before this
    std::size_t end_ = 0;
    bool is_dropping_ = false;  // inside a line above the limit
};

}  // namespace holdfast::net
