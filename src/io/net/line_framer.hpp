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

/// What the framer found next.
struct NeedBytes {
    friend bool operator==(const NeedBytes&, const NeedBytes&) = default;
};
struct LineMessage {
    /// Without its line end. Valid until the next call that is not const.
    std::string_view text;

    friend bool operator==(const LineMessage&, const LineMessage&) = default;
};
struct LineTooLong {
    bool is_out_of_space = false;  ///< The budget for buffers refused it, not its own limit.

    friend bool operator==(const LineTooLong&, const LineTooLong&) = default;
};
using LineStep = std::variant<NeedBytes, LineMessage, LineTooLong>;

/// Cuts a stream of bytes into messages of one line each. Accepts "\r\n" for "\n" and skips lines
/// of nothing but blanks. A line over the limit is told once, as soon as it is known, and dropped;
/// the next line is read as usual. Bytes are read straight into the framer and messages are views
/// of them: `prepare`, read, `commit`, then `next` until it needs bytes. However the stream is cut
/// into pieces, the messages are the same.
///
/// Thread-safety: none.
class LineFramer final {
public:
    explicit LineFramer(const LineFramerOptions& options)
        : options_(options), share_(options.buffers) {}

    /// Room for at least `size_bytes` more. Views of messages end here.
    [[nodiscard]] std::span<char> prepare(std::size_t size_bytes);
    /// The first `size_bytes` of what `prepare` returned have been filled.
    void commit(std::size_t size_bytes);
    /// `prepare`, copy and `commit` in one.
    void feed(std::string_view bytes);

    [[nodiscard]] LineStep next();
    /// After the end of the stream: the last line, if it lacks its end. Forgets everything.
    [[nodiscard]] LineStep finish();

    /// Bytes that are held: a message that is not complete, or that nobody asked for.
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
    std::size_t begin_ = 0;    // of the bytes that are held
    std::size_t scanned_ = 0;  // no line end before this
    std::size_t end_ = 0;
    bool is_dropping_ = false;  // inside a line that was over the limit
};

}  // namespace holdfast::net
