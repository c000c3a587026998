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

/// What kind of result a modern downstream says that it is; a legacy one always says `complete`.
enum class ResultType : std::uint8_t { complete, input_required, task, unknown };

/// A JSON-RPC response as the downstream sent it. The body stays bytes.
class Answer final {
public:
    Answer(jsonrpc::PaddedText text, std::string_view body, bool is_error)
        : text_(std::move(text)),
          body_offset_(static_cast<std::size_t>(body.data() - text_.view().data())),
          body_size_(body.size()),
          is_error_(is_error) {}

    [[nodiscard]] bool is_error() const noexcept { return is_error_; }
    /// The `result` or `error` object, as written.
    [[nodiscard]] std::string_view body() const noexcept {
        return text_.view().substr(body_offset_, body_size_);
    }
    /// The whole message, for looking into the body again.
    [[nodiscard]] const jsonrpc::PaddedText& text() const noexcept { return text_; }
    /// The `_meta` of the body, as written; empty if it has none.
    [[nodiscard]] std::string_view meta() const noexcept {
        return text_.view().substr(meta_offset_, meta_size_);
    }
    /// A part of the text.
    void set_meta(std::string_view meta) noexcept {
        meta_offset_ = static_cast<std::size_t>(meta.data() - text_.view().data());
        meta_size_ = meta.size();
    }

    /// Whether the result names its type. A result without one is complete.
    bool has_result_type = false;
    ResultType result_type = ResultType::complete;
    bool says_error = false;  ///< A tool's result with `isError: true`.
    int error_code = 0;       ///< Of an error.
    /// Of the HTTP answer that carried it; zero where the transport has none.
    int http_status = 0;
    /// `not_sent`: it was made on this side, so it says nothing about the health of the server.
    resilience::Delivery delivery = resilience::Delivery::answered;

private:
    jsonrpc::PaddedText text_;
    // Offsets, since a view would point into a text that moves with this object.
    std::size_t body_offset_;
    std::size_t body_size_;
    std::size_t meta_offset_ = 0;
    std::size_t meta_size_ = 0;
    bool is_error_;
};

/// Why there is no answer.
struct CallFault {
    enum class Kind : std::uint8_t {
        not_connected,    ///< There is no connection, or it could not be made.
        unreachable,      ///< This very call tried to connect, and could not.
        connection_lost,  ///< It went away before the answer.
        timed_out,        ///< The deadline came first.
        cancelled,        ///< The caller does not want it any more.
        malformed,        ///< What came back is not JSON-RPC.
        http_status,      ///< An HTTP status without a JSON-RPC body; see `http_status`.
        unauthorized,     ///< 401 or 403.
        rate_limited,     ///< 429.
        overloaded,       ///< A limit on our side.
        too_large,        ///< An answer over the limit.
        stopping,         ///< The downstream is being shut down by us.
    };

    Kind kind = Kind::connection_lost;
    std::string message = {};  ///< A sentence that may be shown to an agent.
    /// The same in a few words, such as "no answer within 30 s"; empty = the message says it.
    std::string brief = {};
    /// What the server itself said about it, if anything: a text, or JSON.
    std::string detail = {};
    /// Whether the downstream may have got the request.
    resilience::Delivery delivery = resilience::Delivery::not_sent;
    int http_status = 0;
    std::optional<resilience::Duration> retry_after = std::nullopt;
    /// The same for all calls that were lost with one connection, and for no others; 0 = none.
    std::uint64_t lost_connection = 0;
    /// Not connected after so many failed dials that the server counts as gone; dialling goes on.
    bool is_given_up = false;
    /// Repeating the call now cannot help: the server is known to be down, or paused.
    bool is_final = false;
};

using CallResult = resilience::Result<Answer, CallFault>;

}  // namespace holdfast::downstream
