#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "holdfast/resilience/result.hpp"
#include "holdfast/resilience/retry_sequence.hpp"
#include "holdfast/resilience/time.hpp"
#include "jsonrpc/padded_text.hpp"

namespace holdfast::downstream {

/// The kind of result that a modern downstream declares; a legacy result is always `complete`.
enum class ResultType : std::uint8_t { complete, input_required, task, unknown };

/// A JSON-RPC response as the downstream sent it. The body is not parsed.
class Answer final {
public:
    Answer(jsonrpc::PaddedText text, std::string_view body, bool is_error)
        : text_(std::move(text)),
          body_offset_(static_cast<std::size_t>(body.data() - text_.view().data())),
          body_size_(body.size()),
          is_error_(is_error) {}

    [[nodiscard]] bool is_error() const noexcept { return is_error_; }
    /// The `result` or `error` object as written.
    [[nodiscard]] std::string_view body() const noexcept {
        return text_.view().substr(body_offset_, body_size_);
    }
    /// The whole message, for parsing the body.
    [[nodiscard]] const jsonrpc::PaddedText& text() const noexcept { return text_; }
    /// The body's `_meta` as written; may be empty.
    [[nodiscard]] std::string_view meta() const noexcept {
        return text_.view().substr(meta_offset_, meta_size_);
    }
    /// `meta` must be a part of the text.
    void set_meta(std::string_view meta) noexcept {
        meta_offset_ = static_cast<std::size_t>(meta.data() - text_.view().data());
        meta_size_ = meta.size();
    }

    /// Whether the result declares its type. A result without a type is complete.
    bool has_result_type = false;
    ResultType result_type = ResultType::complete;
    bool says_error = false;  ///< A tool's result with `isError: true`.
    int error_code = 0;       ///< Set for an error.
    /// Status of the HTTP answer that carried it; zero for other transports.
    int http_status = 0;
    /// `not_sent`: the gateway made the answer itself, so it says nothing about the server's
    /// health.
    resilience::Delivery delivery = resilience::Delivery::answered;

private:
    jsonrpc::PaddedText text_;
    // Offsets instead of views, because the text moves with this object.
    std::size_t body_offset_;
    std::size_t body_size_;
    std::size_t meta_offset_ = 0;
    std::size_t meta_size_ = 0;
    bool is_error_;
};

/// Why a call has no answer.
struct CallFault {
    enum class Kind : std::uint8_t {
        not_connected,    ///< There is no connection, or connecting failed.
        unreachable,      ///< This call tried to connect and failed.
        connection_lost,  ///< The connection ended before the answer.
        timed_out,        ///< The deadline expired first.
        cancelled,        ///< The caller cancelled the call.
        malformed,        ///< The answer is not JSON-RPC.
        http_status,      ///< An HTTP status without a JSON-RPC body; see `http_status`.
        unauthorized,     ///< 401 or 403.
        rate_limited,     ///< 429.
        overloaded,       ///< A limit of the gateway was reached.
        too_large,        ///< The answer exceeds the limit.
        stopping,         ///< The gateway is shutting down the downstream.
    };

    Kind kind = Kind::connection_lost;
    std::string message = {};  ///< A sentence that may be shown to an agent.
    /// A short form such as "no answer within 30 s"; empty = use the message.
    std::string brief = {};
    /// The server's own description of the error, as text or JSON; may be empty.
    std::string detail = {};
    /// Whether the downstream may have received the request.
    resilience::Delivery delivery = resilience::Delivery::not_sent;
    int http_status = 0;
    std::optional<resilience::Duration> retry_after = std::nullopt;
    /// Identifies the connection that was lost; equal for all calls lost with it. 0 = none.
    std::uint64_t lost_connection = 0;
    /// Enough dials failed that the server counts as down. Dialling continues.
    bool is_given_up = false;
    /// Repeating the call now cannot help: the server is known to be down, or is paused.
    bool is_final = false;
    /// The call waited for a server that has not finished its first start.
    bool is_starting = false;
};

using CallResult = resilience::Result<Answer, CallFault>;

}  // namespace holdfast::downstream
