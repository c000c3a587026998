#pragma once

#include <string>
#include <string_view>

#include "downstream/request.hpp"
#include "downstream/tool_headers.hpp"
#include "mcp/revision.hpp"

namespace holdfast::downstream {

/// The header lines of the requests of one link. The constant part is built once.
///
/// Thread-safety: immutable.
class HttpHeads final {
public:
    /// For requests before the handshake is complete.
    explicit HttpHeads(std::string_view configured_lines);
    /// `session_id` may be empty.
    HttpHeads(mcp::Revision revision, std::string_view session_id,
              std::string_view configured_lines);

    /// Returns the lines of a request; `table` may be null.
    [[nodiscard]] std::string for_request(const Request& request,
                                          const ToolHeaderTable* table) const;
    /// Returns the lines of a notification with this method, or of a response if it is empty.
    [[nodiscard]] std::string for_message(std::string_view method) const;
    /// Returns the lines for opening a stream; a named event resumes the stream after it.
    [[nodiscard]] std::string for_stream(std::string_view last_event_id) const;
    /// The lines for ending the session.
    [[nodiscard]] const std::string& for_delete() const noexcept { return common_; }

private:
    bool is_modern_ = false;
    std::string common_;
    std::string post_;
};

/// Whether a text from a peer is a valid header value.
[[nodiscard]] bool is_plain_header_value(std::string_view text) noexcept;

}  // namespace holdfast::downstream
