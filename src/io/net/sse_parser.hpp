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
    std::chrono::milliseconds max_retry = std::chrono::hours{1};  ///< Longer times are cut to it.
    BufferBudget* buffers = nullptr;  ///< Counts an unfinished event; null = no limit.
};

struct SseNeedBytes {
    friend bool operator==(const SseNeedBytes&, const SseNeedBytes&) = default;
};
struct SseEvent {
    std::string_view type;  ///< Empty = `message`.
    std::string_view data;  ///< Never empty.
    std::string_view id;    ///< The last id of the stream, possibly of an older event.

    /// Whether it carries a JSON-RPC message.
    [[nodiscard]] bool is_message() const noexcept { return type.empty() || type == "message"; }
    friend bool operator==(const SseEvent&, const SseEvent&) = default;
};
struct SseTooLong {
    bool is_out_of_space = false;  ///< The budget for buffers refused it, not its own limit.

    friend bool operator==(const SseTooLong&, const SseTooLong&) = default;
};
using SseStep = std::variant<SseNeedBytes, SseEvent, SseTooLong>;

/// Parses a stream of server-sent events. Lines end with LF, CRLF or CR, also across two pieces of
/// the stream. Skips a byte order mark, comments and unknown fields. Data makes an event; without
/// data only the id is stored. An event above a limit is reported once and dropped; reading
/// continues after the next blank line. `feed` a piece, then call `next` until it needs bytes. The
/// events do not depend on how the stream is split into pieces.
///
/// Thread-safety: none.
class SseParser final {
public:
    explicit SseParser(const SseParserOptions& options)
        : options_(options), share_(options.buffers) {}

    /// Adds the next piece, which must stay valid until `next` needs bytes. Requires that `next`
    /// needs bytes.
    void feed(std::string_view bytes);
    /// Views of an event are valid until the next call.
    [[nodiscard]] SseStep next();

    /// The id to resume from, as of the last blank line.
    [[nodiscard]] const std::string& last_event_id() const noexcept { return last_id_; }
    /// The reconnection delay that the server requested; nothing if it requested none.
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
    std::string line_;  // the beginning of an incomplete line
    std::string data_;  // with a newline after every line
    std::string type_;
    std::string id_;  // becomes last_id_ with the next blank line
    std::string last_id_;
    std::optional<std::chrono::milliseconds> retry_;
    std::uint8_t mark_index_ = 0;       // bytes of the byte order mark seen; 3 = past the beginning
    bool was_carriage_return_ = false;  // the next newline belongs to the previous line
    bool is_dispatched_ = false;        // the next call may reuse the event's memory
    bool is_dropping_event_ = false;    // up to the next blank line
    bool is_dropping_line_ = false;     // up to the next line end
};

}  // namespace holdfast::net
