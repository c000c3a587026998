#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "net/buffer_budget.hpp"

namespace holdfast::net {

struct SseParserOptions {
    std::size_t max_event_bytes = std::size_t{64} * 1024 * 1024;  ///< All data of one event.
    std::size_t max_field_bytes = 4'096;                          ///< One type or id.
    std::chrono::milliseconds max_retry = std::chrono::hours{1};  ///< A longer wish is cut to it.
    BufferBudget* buffers = nullptr;  ///< Counts an unfinished event; null = no limit.
};

struct SseNeedBytes {
    friend bool operator==(const SseNeedBytes&, const SseNeedBytes&) = default;
};
struct SseEvent {
    std::string_view type;  ///< Empty = `message`.
    std::string_view data;  ///< Never empty.
    std::string_view id;    ///< The last one that the stream has named; it may be an older event's.

    /// Whether it carries a JSON-RPC message.
    [[nodiscard]] bool is_message() const noexcept { return type.empty() || type == "message"; }
    friend bool operator==(const SseEvent&, const SseEvent&) = default;
};
struct SseTooLong {
    bool is_out_of_space = false;  ///< The budget for buffers refused it, not its own limit.

    friend bool operator==(const SseTooLong&, const SseTooLong&) = default;
};
using SseStep = std::variant<SseNeedBytes, SseEvent, SseTooLong>;

/// Reads a stream of server-sent events. Lines end with LF, CRLF or CR, also across two pieces of
/// the stream; a byte order mark, comments and unknown fields are skipped; an event without data
/// is no event, but its id is remembered. An event over a limit is told once and dropped; reading
/// goes on behind the next blank line. `feed` a piece, then call `next` until it needs bytes.
/// However the stream is cut into pieces, the events are the same.
///
/// Thread-safety: none.
class SseParser final {
public:
    explicit SseParser(const SseParserOptions& options)
        : options_(options), share_(options.buffers) {}

    /// The next piece; it must stay in place until `next` needs bytes, which it must do before.
    void feed(std::string_view bytes);
    /// Views of an event are valid until the next call.
    [[nodiscard]] SseStep next();

    /// What to resume from: the id as of the last blank line.
    [[nodiscard]] const std::string& last_event_id() const noexcept { return last_id_; }
    /// How long the server wants us to wait before connecting again; none if it never said.
    [[nodiscard]] std::optional<std::chrono::milliseconds> retry() const noexcept { return retry_; }

private:
    void skip_byte_order_mark();
    [[nodiscard]] std::optional<SseStep> take_line(std::string_view line);
    [[nodiscard]] std::optional<SseStep> keep_unfinished_line();
    [[nodiscard]] std::optional<SseStep> dispatch();
    [[nodiscard]] std::optional<SseStep> take_field(std::string_view name, std::string_view value);
    void take_retry(std::string_view value);
    void forget_event();
    [[nodiscard]] SseStep drop_event(bool is_out_of_space = false);
    [[nodiscard]] bool has_space() { return share_.try_resize(line_.size() + data_.size()); }

    SseParserOptions options_;
    BufferShare share_;
    std::string_view input_;
    std::string line_;  // the beginning of a line whose end has not come yet
    std::string data_;  // with a newline after every line
    std::string type_;
    std::string id_;  // becomes last_id_ with the next blank line
    std::string last_id_;
    std::optional<std::chrono::milliseconds> retry_;
    std::uint8_t mark_index_ = 0;       // bytes of the byte order mark seen; 3 = past the beginning
    bool was_carriage_return_ = false;  // a newline right now belongs to the line before
    bool is_dispatched_ = false;        // the event's memory is free with the next call
    bool is_dropping_event_ = false;    // up to the next blank line
    bool is_dropping_line_ = false;     // up to the next line end
};

}  // namespace holdfast::net
